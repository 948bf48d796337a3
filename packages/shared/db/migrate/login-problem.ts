// Whether the login of a service is the one that was made for it.

import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../../config/index.ts';
import { serviceNames } from '../../contracts/contract.ts';

interface Found {
  /** The schemas of services that the login may read. */
  readable: string[];
  exists: boolean;
  isOwner: boolean;
}

/** Reads what the login may do in this database. The catalogue is readable for every login. */
async function readRights<T>(db: Kysely<T>, schema: string): Promise<Found> {
  const { rows } = await sql<Found>`
    select coalesce(array_agg(nspname::text order by nspname) filter (where has_schema_privilege(oid, 'usage')), '{}') as readable,
      coalesce(bool_or(nspname = ${schema}), false) as exists,
      coalesce(bool_or(nspname = ${schema} and pg_has_role(nspowner, 'usage')), false) as "isOwner"
    from pg_namespace where nspname = any (${sql.val([...serviceNames])}::text[])`.execute(db);
  return rows[0]!;
}

/** Throws ConfigError when DATABASE_URL is the login of another service, which has no rights in the schema. */
export async function refuseOtherService<T>(db: Kysely<T>, schema: string): Promise<void> {
  const { exists, readable } = await readRights(db, schema);
  if (!exists || readable.length === 0 || readable.includes(schema)) return;
  throw new ConfigError(
    `DATABASE_URL is the login of ${readable.join(' and ')}, which may not read the schema ${schema}: set it to the login of ${schema}.`,
  );
}

/** A sentence when the login owns the schema, so that a mistake in the service could drop its tables; else null. */
export async function ownerWarning<T>(db: Kysely<T>, schema: string): Promise<string | null> {
  const { isOwner } = await readRights(db, schema);
  if (!isOwner) return null;
  return (
    `DATABASE_URL is a login that owns the schema ${schema} and can drop its tables: set it to the login of the service, ` +
    'which can only change rows.'
  );
}
