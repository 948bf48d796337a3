import { z } from 'zod';
import { readKey } from '../encryption/index.ts';
import { logLevels } from '../log/index.ts';
import { certificatesProblem } from './certificates.ts';
import { ConfigError } from './config-error.ts';
import { databaseUrlProblem } from './database-url.ts';
import { natsUrl } from './nats-url.ts';
import { fileSetting, readGiven, secretLogin } from './secrets.ts';
import { settingFileProblem } from './setting-file.ts';
import { tracingSettings } from './tracing-settings.ts';

export { atBasePath, basePath } from './base-path.ts';
export { ConfigError } from './config-error.ts';
export { urlsOfHosts } from './database-url.ts';
export { LoginChoice } from './login-choice.ts';
export { natsServersOf, natsUrl, natsUrlRule } from './nats-url.ts';
export { fileSetting, isSecret, type Logins, loginsOf, secret, secretLogin } from './secrets.ts';
export { readSettingFile } from './setting-file.ts';
export type { TracingConfig } from './tracing-settings.ts';

/** The environment variables of a process by name. The `.describe()` of each schema explains the setting. */
export type Settings = Record<string, z.ZodType>;

/** The values of the settings. A secret that was read from a file also has the path of the file, for `loginsOf`. */
export type Config<S extends Settings> = { [K in keyof S]: z.output<S[K]> } & {
  [K in keyof S & string as `${K}_FILE`]?: string;
};

/**
 * Parses the environment by the settings. An empty variable counts as absent, since compose files and charts write it
 * so. A secret setting may be in the file of `<NAME>_FILE`. Throws a ConfigError that names every faulty variable or
 * file. It has no values, which may be secrets.
 */
export function loadConfig<S extends Settings>(
  settings: S,
  environment: Record<string, string | undefined>,
): Config<S> {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(settings)) {
    const given = readGiven(name, schema, environment);
    if ('problem' in given) {
      problems.push(given.problem);
      continue;
    }
    const results = given.texts.map((text) => ({ text, result: schema.safeParse(text) }));
    const { file } = given;
    const label = file === undefined ? name : `${fileSetting(name)} (${file})`;
    for (const { text, result } of results)
      problems.push(
        ...(result.error?.issues ?? []).map((issue) => `${label}: ${text ? issue.message : 'is required'}`),
      );
    values[name] = results[0]!.result.data;
    if (file !== undefined) values[fileSetting(name)] = file;
  }
  if (problems.length > 0)
    throw new ConfigError(`The configuration has ${problems.length} problem(s):\n  ${problems.join('\n  ')}`);
  return values as Config<S>;
}

export function integer(minimum: number, maximum: number): z.ZodType<number, string> {
  const message = `should be a whole number from ${minimum} to ${maximum}`;
  return z
    .string()
    .regex(/^-?\d+$/, message)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, message);
}

/** An http or https address without a slash at its end. */
export const httpAddress = z
  .url({ protocol: /^https?$/, error: 'should be an http:// or https:// URL' })
  .transform((url) => url.replace(/\/+$/, ''));

/**
 * The address under which people reach this system. Compose makes it of the published ports, which may be a range such
 * as 4242-4243: the first one counts.
 */
export const publicAddress = z
  .string()
  .transform((text) => text.replace(/^(https?:\/\/[^/?#]*:\d+)-\d+(?=\/|$)/, '$1'))
  .pipe(httpAddress);

/** The schema of a comma-separated list. Empty entries are dropped. */
export const commaSeparated = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** A key of AES-256 as `openssl rand -base64 32` makes it. */
export const encryptionKey = z.string().transform((text, context) => {
  const key = readKey(text);
  if (key) return key;
  context.addIssue({
    code: 'custom',
    message: 'should be 32 bytes in base64, as `openssl rand -base64 32` makes them',
  });
  return z.NEVER;
});

/** Such keys, comma-separated; none by default. */
export const encryptionKeys = commaSeparated.pipe(z.array(encryptionKey)).default([]);

/** The path of a file that this process can read. */
export const readableFile = pathOf('should be a file that this process may read', settingFileProblem);

/** The path of a file with the certificates of authorities. */
export const certificatesFile = pathOf('should be a file of certificates', certificatesProblem);

function pathOf(expected: string, problemOf: (file: string) => string | null) {
  return z.string().superRefine((file, context) => {
    const problem = problemOf(file);
    if (problem !== null) context.addIssue({ code: 'custom', message: `${expected}, and ${file} ${problem}` });
  });
}

export const commonSettings = {
  NATS_URL: secretLogin(
    natsUrl.describe('NATS servers of one cluster, comma-separated, with credentials where they ask for them'),
  ),
  NATS_CA_FILE: certificatesFile
    .optional()
    .describe('Certificates (PEM) of the authorities that may sign for the NATS servers; with it, TLS is required'),
  NATS_CERT_FILE: readableFile
    .optional()
    .describe('Certificate (PEM) that this process shows to NATS servers which ask for one; with it, TLS is required'),
  NATS_KEY_FILE: readableFile.optional().describe('Private key (PEM) of NATS_CERT_FILE'),
  YARDARM_PREFIX: z
    .string()
    .regex(/^[a-zA-Z0-9-]*$/, 'should be letters, digits and dashes')
    .default('')
    .describe(
      'Put in front of every subject, queue group, stream and durable, so that several systems can share a NATS server',
    ),
  LOG_LEVEL: z.enum(logLevels).default('info').describe('trace, debug, info, warn, error, fatal or silent'),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address on which /livez, /ready and /metrics are served'),
  HEALTH_PORT: integer(0, 65535).default(0).describe('Port of /livez, /ready and /metrics; 0 takes a free one'),
  ...tracingSettings,
};

/** Numbers of replicas with a majority that survives the loss of none, one and two servers. */
const replicaCounts = ['1', '3', '5'] as const;

/** For the services that make streams. Only the keeper of a stream changes one that exists. */
export const streamSettings = {
  NATS_STREAM_REPLICAS: z
    .enum(replicaCounts, 'should be 1, 3 or 5')
    .transform(Number)
    .optional()
    .describe(
      'How many servers of a NATS cluster keep a copy of each stream: 1, 3 or 5; unless set, new streams have 1 and others keep theirs. More than 1 needs nats-server 2.12.3',
    ),
  NATS_STREAM_PLACEMENT_TAGS: commaSeparated
    .pipe(z.array(z.string().regex(/^[\w:.-]+$/, 'should be tags of NATS servers, comma-separated')).min(1))
    .optional()
    .describe(
      'Tags that a NATS server must have to keep a copy of a stream, comma-separated; unless set, streams keep theirs',
    ),
};

export const databaseSettings = {
  DATABASE_URL: secretLogin(
    z
      .string()
      .superRefine((url, context) => {
        const problem = databaseUrlProblem(url);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
      })
      .describe(
        "The service's own login on Postgres; it sees the service's schema and no other. Several hosts with commas between are the servers of one cluster",
      ),
  ),
  DATABASE_MAX_CONNECTIONS: integer(1, 200)
    // About ten connections keep two cores of Postgres busy, and five services share one server.
    .default(10)
    .describe('The most connections this process opens'),
};
