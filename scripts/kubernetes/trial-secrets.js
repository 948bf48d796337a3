// @ts-check
import { newSecret } from '../compose-env/secrets.js';

/** The services with a schema of their own. */
const owners = ['accounts', 'events', 'flags', 'integrations', 'signals'];

/** @param {string} name */
function secretOf(name) {
  const secret = newSecret(name);
  if (secret === null) throw new Error(`there is no generator for ${name}`);
  return secret;
}

/**
 * The secrets of the overlay `trial` with new values, by name and key. The keys are the settings that the services read
 * from files, as URLs with the passwords of NATS and Postgres.
 *
 * @returns {Record<string, Record<string, string>>}
 */
export function trialSecrets() {
  const natsPasswords = Object.fromEntries(
    [...owners, 'gateway'].map((service) => [service, secretOf(`${service.toUpperCase()}_NATS_PASSWORD`)]),
  );
  // Of the second users, with which a password changes: no service has one yet.
  const secondPasswords = Object.fromEntries(
    Object.keys(natsPasswords).map((service) => [service, secretOf(`${service.toUpperCase()}_NATS_PASSWORD`)]),
  );
  /** @param {string} user */
  const postgresUrl = (user, password = secretOf('POSTGRES_PASSWORD')) =>
    `postgres://${user}:${password}@postgres:5432/yardarm`;
  /** @param {string} service */
  const natsUrl = (service) => `nats://${service}:${natsPasswords[service]}@nats:4222`;
  const superuserPassword = secretOf('POSTGRES_PASSWORD');
  const logins = Object.fromEntries(owners.map((service) => [service, postgresUrl(`yardarm_${service}`)]));
  // The owner of a schema has the name of the service's login and `_owner`.
  const schemaOwners = Object.fromEntries(owners.map((service) => [service, postgresUrl(`yardarm_${service}_owner`)]));
  const ofAccounts = [
    ...['INIT_ADMIN_API_TOKENS', 'INIT_CLIENT_API_TOKENS', 'INIT_FRONTEND_API_TOKENS'],
    'ACCOUNTS_ENCRYPTION_KEY',
  ];
  const own = {
    accounts: Object.fromEntries(ofAccounts.map((name) => [name, secretOf(name)])),
    integrations: { INTEGRATIONS_ENCRYPTION_KEY: secretOf('INTEGRATIONS_ENCRYPTION_KEY') },
  };
  return {
    'postgres-secrets': { POSTGRES_PASSWORD: superuserPassword },
    // In double quotes: the server reads the file as its configuration, so digits alone would be a number.
    'nats-users': {
      'passwords.conf': [natsPasswords, secondPasswords]
        .flatMap((passwords, index) =>
          Object.entries(passwords).map(
            ([service, password]) =>
              `${service.toUpperCase()}_NATS_PASSWORD${index === 0 ? '' : '_2'}: ${JSON.stringify(password)}\n`,
          ),
        )
        .join(''),
    },
    'provision-secrets': {
      DATABASE_URL: postgresUrl('yardarm', superuserPassword),
      ...Object.fromEntries(owners.map((service) => [`${service.toUpperCase()}_DATABASE_URL`, logins[service] ?? ''])),
      ...Object.fromEntries(
        owners.map((service) => [`${service.toUpperCase()}_OWNER_DATABASE_URL`, schemaOwners[service] ?? '']),
      ),
    },
    ...Object.fromEntries(
      owners.flatMap((service) => [
        [
          `${service}-secrets`,
          {
            NATS_URL: natsUrl(service),
            DATABASE_URL: logins[service],
            ...own[/** @type {keyof typeof own} */ (service)],
          },
        ],
        [`${service}-owner`, { [`${service.toUpperCase()}_OWNER_DATABASE_URL`]: schemaOwners[service] }],
      ]),
    ),
    'gateway-secrets': { NATS_URL: natsUrl('gateway') },
  };
}

/**
 * Secrets as objects of Kubernetes. A JSON string is a string of YAML too.
 *
 * @param {Record<string, Record<string, string>>} secrets
 */
export function secretObjects(secrets) {
  return Object.entries(secrets)
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`);
      return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\nstringData:\n${lines.join('')}`;
    })
    .join('---\n');
}
