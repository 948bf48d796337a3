import path from 'node:path';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as events } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { commonSettings, integer, loadConfig } from '@yardarm/shared/config';
import { settings as signals } from '@yardarm/signals/config';
import { z } from 'zod';

/** The folder of the whole project. */
export const projectFolder = path.resolve(import.meta.dirname, '../..');

/** What `npm start` reads. */
export const settings = {
  PORT: integer(0, 65_535).default(4242).describe('Where the gateway listens; 0 takes a free port'),
  HOST: z
    .string()
    .regex(/^[^\s/]+$/, 'should be an address or a host name')
    .default('127.0.0.1')
    .describe('The address on which the gateway listens'),
  YARDARM_DATA_DIR: z.string().default('.yardarm').describe('Where data, credentials and logs are kept'),
  DATABASE_URL: z
    .string()
    .refine(
      (text) => ['postgres:', 'postgresql:'].includes(protocolOf(text)),
      'should be postgres://user:password@host:port/database',
    )
    .optional()
    .describe('The owner of a Postgres to use instead of an own one'),
  NATS_URL: z
    .string()
    .refine(
      (text) => natsAddresses(text).every((address) => ['nats:', 'tls:'].includes(protocolOf(address))),
      'should be nats://host:port, or several with commas between',
    )
    .optional()
    .describe('A NATS with JetStream to use instead of an own one'),
  INIT_ADMIN_API_TOKENS: z.string().optional().describe('Admin tokens to make at the first start, comma-separated'),
  INIT_CLIENT_API_TOKENS: z.string().optional().describe('SDK tokens to make at the first start, comma-separated'),
  INTEGRATIONS_ALLOWED_PRIVATE: z
    .string()
    .optional()
    .describe('Hosts or CIDRs that webhooks may reach although they are loopback or private, comma-separated'),
  INTEGRATIONS_ENCRYPTION_KEY: z
    .string()
    .optional()
    .describe('What the parameters of integrations are encrypted with, instead of the key in the data folder'),
  INTEGRATIONS_ENCRYPTION_OTHER_KEYS: z.string().optional().describe('Keys before or after it, comma-separated'),
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  // Set by with-node24.js, for noticing that it is gone.
  YARDARM_PARENT_PID: integer(1, Number.MAX_SAFE_INTEGER).optional(),
};

/** Webhooks leave the machine through a proxy where there is one; nothing else does. */
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Variables that services get as they are: what programs need on any machine, and every setting of a service's own. */
const passedOn = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR'],
  ...['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...[accounts, events, flags, gateway, integrations, signals]
    .flatMap((settingsOfService) => Object.keys(settingsOfService))
    // Those of `npm start` itself, and the addresses of what it starts, are its own to give.
    .filter((name) => !(name in settings) && !proxies.includes(name) && !/^HEALTH_(HOST|PORT)$/.test(name)),
];

export type Options = ReturnType<typeof readOptions>;

function protocolOf(text: string): string {
  return URL.canParse(text) ? new URL(text).protocol : '';
}

/** The single addresses of a NATS_URL. */
export function natsAddresses(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function listed(environment: NodeJS.ProcessEnv, isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => isWanted(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/** Reads `npm start`'s settings; throws ConfigError naming every faulty one. */
export function readOptions(environment: NodeJS.ProcessEnv = process.env) {
  const { YARDARM_PARENT_PID, YARDARM_DATA_DIR, ...read } = loadConfig(settings, environment);
  return {
    ...read,
    dataDir: path.resolve(projectFolder, YARDARM_DATA_DIR),
    parentPid: YARDARM_PARENT_PID,
    passedOn: listed(environment, (name) => passedOn.includes(name) || name.startsWith('OTEL_')),
    proxies: listed(environment, (name) => proxies.includes(name)),
  };
}
