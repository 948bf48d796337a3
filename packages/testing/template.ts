import { migrations as accounts } from '@yardarm/accounts/migrations';
import { migrations as events } from '@yardarm/events/migrations';
import { migrations as flags } from '@yardarm/flags/migrations';
import { migrations as integrations } from '@yardarm/integrations/migrations';
import { migrateAll } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { migrations as signals } from '@yardarm/signals/migrations';
import pg from 'pg';
import { loginUrl, query, templateName, within } from './databases.ts';

const sets = [accounts, events, flags, integrations, signals];

/** Creates and migrates the template, once per server and before any test. */
export async function createTemplate(postgresUrl: string): Promise<void> {
  await query(postgresUrl, `CREATE DATABASE ${templateName}`);
  await migrateAll({
    ownerUrl: within(postgresUrl, templateName),
    services: sets.map((set) => ({ set, loginUrl: loginUrl(postgresUrl, templateName, set.service) })),
    log: createLogger({ service: 'tests', level: 'warn' }),
  });
  await cheapenLogins(postgresUrl);
}

/** A client derives a key from the password for each connection: 2 ms with the 4,096 rounds of Postgres's default. */
async function cheapenLogins(postgresUrl: string): Promise<void> {
  const urls = [postgresUrl, ...sets.map(({ service }) => loginUrl(postgresUrl, templateName, service))];
  const changes = urls.map((url) => {
    const { username, password } = new URL(url);
    return `alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(decodeURIComponent(password))}`;
  });
  await query(postgresUrl, ['set scram_iterations = 1', ...changes].join(';'));
}
