import path from 'node:path';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as events } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import {
  commonSettings,
  fileSetting,
  integer,
  isSecret,
  loadConfig,
  natsUrl,
  type Settings,
  secret,
} from '@yardarm/shared/config';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';
import { settings as signals } from '@yardarm/signals/config';
import { z } from 'zod';

export const projectFolder = path.resolve(import.meta.dirname, '../..');

/**
 * A setting of a service, passed on unchanged. It is checked as the service checks it, so that a problem is reported
 * before anything starts.
 */
function checkedBy(schema: z.ZodType) {
  const text = z
    .string()
    .superRefine((text, context) => {
      for (const { message } of schema.safeParse(text).error?.issues ?? [])
        context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(schema.description ?? '');
  return isSecret(schema) ? secret(text) : text;
}

const hostName = z.string().regex(/^[^\s/]+$/, 'should be an address or a host name');

type NatsUrlName = `${Uppercase<ServiceName>}_NATS_URL`;

/** The setting with the address of NATS for one service. */
export const natsUrlName = (service: ServiceName) => `${service.toUpperCase()}_NATS_URL` as NatsUrlName;

const natsUrlsOfServices = Object.fromEntries(
  serviceNames.map((service) => [
    natsUrlName(service),
    secret(natsUrl.optional().describe('NATS_URL with the user of this service')),
  ]),
) as Record<NatsUrlName, z.ZodOptional<typeof natsUrl>>;

export const settings = {
  PORT: integer(0, 65_535).default(4242).describe('Where the gateway listens; 0 takes a free port'),
  HOST: hostName.default('127.0.0.1').describe('The address on which the gateway listens'),
  ALLOWED_HOSTS: checkedBy(gateway.ALLOWED_HOSTS).transform((names) => names ?? 'localhost'),
  HEALTH_HOST: hostName.default('127.0.0.1').describe('The address on which the services serve /ready and /metrics'),
  // The last of the six ports has to be a port too.
  HEALTH_PORT: integer(0, 65_530)
    .default(0)
    .describe('The first of the six ports of /ready and /metrics; 0 takes free ones'),
  YARDARM_DATA_DIR: z.string().default('.yardarm').describe('Where data, credentials and logs are kept'),
  DATABASE_URL: secret(
    z
      .string()
      .refine(
        (text) => ['postgres:', 'postgresql:'].includes(URL.parse(text)?.protocol ?? ''),
        'should be postgres://user:password@host:port/database',
      )
      .optional()
      .describe('The owner of a Postgres to use instead of an own one'),
  ),
  YARDARM_TAKE_OVER_DATABASE: z
    .enum(['0', '1'], 'should be 1, or 0 for no')
    .default('0')
    .describe('1 gives the logins of a database that another data folder made the passwords of this one'),
  NATS_URL: secret(natsUrl.optional().describe('A NATS with JetStream to use instead of an own one')),
  ...natsUrlsOfServices,
  CONSOLE_DIR: checkedBy(gateway.CONSOLE_DIR),
  INIT_ADMIN_API_TOKENS: checkedBy(accounts.INIT_ADMIN_API_TOKENS),
  INIT_CLIENT_API_TOKENS: checkedBy(accounts.INIT_CLIENT_API_TOKENS),
  INIT_FRONTEND_API_TOKENS: checkedBy(accounts.INIT_FRONTEND_API_TOKENS),
  ACCOUNTS_ENCRYPTION_KEY: checkedBy(accounts.ACCOUNTS_ENCRYPTION_KEY),
  UNLEASH_DEFAULT_ADMIN_PASSWORD: checkedBy(accounts.UNLEASH_DEFAULT_ADMIN_PASSWORD),
  INTEGRATIONS_ALLOWED_PRIVATE: checkedBy(integrations.INTEGRATIONS_ALLOWED_PRIVATE),
  INTEGRATIONS_ENCRYPTION_KEY: checkedBy(integrations.INTEGRATIONS_ENCRYPTION_KEY),
  INTEGRATIONS_ENCRYPTION_OTHER_KEYS: checkedBy(integrations.INTEGRATIONS_ENCRYPTION_OTHER_KEYS),
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  // Set by with-node24.js. The launcher stops when that process has ended.
  YARDARM_PARENT_PID: integer(1, Number.MAX_SAFE_INTEGER).optional(),
};

/** Only webhooks use a proxy. */
const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'];

/**
 * The settings of services that are passed on unchanged. `npm start` itself sets its own settings, the addresses of
 * what it starts and the files in its data folder.
 */
const settingsOfServices: Settings = Object.fromEntries(
  [accounts, events, flags, gateway, integrations, signals]
    .flatMap((settingsOfService) => Object.entries<z.ZodType>(settingsOfService))
    .filter(([name]) => !(name in settings) && !proxies.includes(name))
    .filter(([name]) => name !== 'INITIAL_ADMIN_PASSWORD_FILE'),
);

/** The variables that services get unchanged: those that every program needs, and their settings. */
const passedOn = [
  ...['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR'],
  ...['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...Object.keys(settingsOfServices),
  ...Object.entries(settingsOfServices).flatMap(([name, schema]) => (isSecret(schema) ? [fileSetting(name)] : [])),
];

export type Options = ReturnType<typeof readOptions>;

function pick(environment: NodeJS.ProcessEnv, isPicked: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => isPicked(entry[0]) && entry[1] !== undefined,
    ),
  );
}

/**
 * Reads the settings of `npm start` and checks those that it passes on. Throws a ConfigError that names every problem.
 */
export function readOptions(environment: NodeJS.ProcessEnv = process.env) {
  // One call, so that all problems are reported at once. The services read the values of their settings.
  loadConfig({ ...settingsOfServices, ...settings }, environment);
  const { YARDARM_PARENT_PID, YARDARM_DATA_DIR, ...read } = loadConfig(settings, environment);
  return {
    ...read,
    dataDir: path.resolve(projectFolder, YARDARM_DATA_DIR),
    parentPid: YARDARM_PARENT_PID,
    // OpenTelemetry reads more variables than the services. One name in traces would be that of all services.
    passedOn: pick(
      environment,
      (name) => (passedOn.includes(name) || name.startsWith('OTEL_')) && name !== 'OTEL_SERVICE_NAME',
    ),
    proxies: pick(environment, (name) => proxies.includes(name)),
  };
}
