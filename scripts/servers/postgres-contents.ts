// What `npm start` reads in a database as its owner.

import pg from 'pg';
import { onPostgres } from './postgres-address.ts';

/** Finds those of the roles that exist on the server. */
export async function findRoles(ownerUrl: string, names: string[]): Promise<string[]> {
  const list = names.map((name) => pg.escapeLiteral(name)).join(', ');
  const { rows } = await onPostgres(ownerUrl, `select rolname from pg_roles where rolname in (${list})`);
  return rows.map(({ rolname }) => rolname as string);
}

/** The ids of the keys that the stored values of integrations are encrypted with. */
export async function findKeyIds(ownerUrl: string): Promise<string[]> {
  const { rows: tables } = await onPostgres(ownerUrl, "select to_regclass('integrations.encryption') as found");
  if (tables[0].found === null) return [];
  const { rows } = await onPostgres(
    ownerUrl,
    `select key_id as id from integrations.encryption where key_id is not null
     union select parameters_key from integrations.integrations where parameters_key is not null`,
  );
  return rows.map(({ id }) => id as string);
}

/** The id of the system, which provisioning gave the database. */
export async function findSystemId(ownerUrl: string): Promise<string> {
  const { rows } = await onPostgres(ownerUrl, 'select id from system.identity');
  return rows[0].id;
}
