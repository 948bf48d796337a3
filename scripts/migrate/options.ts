import { ConfigError, commonSettings, loadConfig, secretLogin, urlsOfHosts } from '@yardarm/shared/config';
import { z } from 'zod';
import { helpIfAsked, UsageError } from '../command.ts';

/** The services with a schema, in the order in which they are migrated. */
export const schemas = ['accounts', 'flags', 'events', 'integrations', 'signals'] as const;

export type Schema = (typeof schemas)[number];

export const usage = `Usage: npm run migrate
       npm run migrate -- provision
       npm run migrate -- <service>
  Without an argument: makes the roles and schemas of all services and migrates them, with DATABASE_URL, the owner of the
  database, and <SERVICE>_DATABASE_URL, the login of each service.
  provision  makes the roles and schemas, and no tables: of the services whose <SERVICE>_DATABASE_URL is given. With
             <SERVICE>_OWNER_DATABASE_URL the owner of the schema gets a login too.
  <service>  migrates its schema alone, with <SERVICE>_OWNER_DATABASE_URL: ${schemas.join(', ')}
  Each of these settings may be in a file that <NAME>_FILE names.`;

function postgresUrl(description: string) {
  return secretLogin(
    z
      .string()
      .refine(
        (text) => URL.canParse(text) && ['postgres:', 'postgresql:'].includes(new URL(text).protocol),
        'should be postgres://user:password@host:port/database',
      )
      .describe(description),
  );
}

const optionalUrl = (description: string) => secretLogin(postgresUrl(description).optional().describe(description));

const loginText = (service: string) =>
  `What ${service} connects with: its user and password become the login that sees its schema only`;
const ownerText = (service: string) =>
  `The login of the owner of the schema ${service}, whose user is that of the login and _owner`;

/** The settings of one service, by the kind of URL. */
const loginName = (schema: Schema) => `${schema.toUpperCase()}_DATABASE_URL`;
const ownerName = (schema: Schema) => `${schema.toUpperCase()}_OWNER_DATABASE_URL`;

const common = { LOG_LEVEL: commonSettings.LOG_LEVEL };
const provisioning = {
  DATABASE_URL: postgresUrl('The owner: a superuser, or a role with CREATEROLE and with CREATE on the database'),
  YARDARM_TAKE_OVER_DATABASE: z
    .enum(['0', '1'], 'should be 1, or 0 for no')
    .default('0')
    .describe('1 gives logins that exist the passwords of the login URLs; without it, other passwords are refused'),
  ...common,
};

const urlsOf = (name: (schema: Schema) => string, url: (schema: Schema) => z.ZodType<string | undefined>) =>
  Object.fromEntries(schemas.map((schema) => [name(schema), url(schema)]));
const owners = urlsOf(ownerName, (schema) => optionalUrl(ownerText(schema)));

export interface ServiceUrls {
  schema: Schema;
  loginUrl: string;
  ownerUrl?: string;
}

export type MigrateOptions = { logLevel: z.output<typeof common.LOG_LEVEL> } & (
  | { what: 'all' | 'provision'; databaseUrl: string; services: ServiceUrls[]; takesOver: boolean }
  | { what: 'one'; schema: Schema; ownerUrl: string }
);

/** Throws UsageError for wrong arguments and ConfigError for wrong settings. */
export function readOptions(
  words: readonly string[],
  environment: Record<string, string | undefined> = process.env,
): MigrateOptions {
  helpIfAsked(words, usage);
  const [word, ...more] = words;
  if (more.length > 0) throw new UsageError(`${more[0]} is one argument too many.\n${usage}`);
  const schema = schemas.find((name) => name === word);
  if (schema !== undefined) return readOne(schema, environment);
  if (word === undefined) {
    const logins = urlsOf(loginName, (name) => postgresUrl(loginText(name)));
    return { what: 'all', ...readAll(logins, environment) };
  }
  if (word !== 'provision') throw new UsageError(`${word} is neither provision nor a service with a schema.\n${usage}`);
  const logins = urlsOf(loginName, (name) => optionalUrl(loginText(name)));
  const options = readAll(logins, environment);
  if (options.services.length > 0) return { what: 'provision', ...options };
  throw new UsageError(`Provisioning needs ${schemas.map(loginName).join(', ')}, or some of them.\n${usage}`);
}

function readOne(schema: Schema, environment: Record<string, string | undefined>): MigrateOptions {
  const name = ownerName(schema);
  const url: Record<string, z.ZodType<string>> = { [name]: postgresUrl(ownerText(schema)) };
  // One call, so that all problems are reported at once.
  loadConfig({ ...url, ...common }, environment);
  const { LOG_LEVEL: logLevel } = loadConfig(common, environment);
  return { what: 'one', schema, ownerUrl: loadConfig(url, environment)[name]!, logLevel };
}

function readAll(
  logins: Record<string, z.ZodType<string | undefined>>,
  environment: Record<string, string | undefined>,
) {
  // One call, so that all problems are reported at once.
  loadConfig({ ...provisioning, ...logins, ...owners }, environment);
  const config = loadConfig(provisioning, environment);
  const urls = loadConfig({ ...logins, ...owners }, environment);
  refuseOtherDatabases(config.DATABASE_URL, urls);
  const services = schemas.flatMap((schema): ServiceUrls[] => {
    const loginUrl = urls[loginName(schema)];
    const ownerUrl = urls[ownerName(schema)];
    if (loginUrl === undefined) return [];
    return [{ schema, loginUrl, ...(ownerUrl !== undefined && { ownerUrl }) }];
  });
  return {
    services,
    databaseUrl: config.DATABASE_URL,
    takesOver: config.YARDARM_TAKE_OVER_DATABASE === '1',
    logLevel: config.LOG_LEVEL,
  };
}

/** Schemas are made in the database of DATABASE_URL. A service with another one would wait for its schema forever. */
function refuseOtherDatabases(owner: string, urls: Record<string, string | undefined>): void {
  const databaseOf = (url: string) => new URL(urlsOfHosts(url)[0]!).pathname;
  // `urls` also has the paths of the files from which URLs are read.
  const names = schemas.flatMap((schema) => [loginName(schema), ownerName(schema)]);
  const others = names.filter((name) => databaseOf(urls[name] ?? owner) !== databaseOf(owner));
  if (others.length === 0) return;
  throw new ConfigError(
    `${others.join(', ')}: should name the database of DATABASE_URL, in which the schemas are made`,
  );
}
