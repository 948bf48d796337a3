import type { ServiceName } from '@yardarm/shared/contracts';
import { createDatabase, type Database, sql } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';

export function openAsOwner(databaseUrl: string, schema: ServiceName): Database<Record<string, never>> {
  const log = createLogger({ service: 'bench', level: 'error' });
  return createDatabase({ url: databaseUrl, schema, log, maxConnections: 1, applicationName: 'yardarm-bench' });
}

export async function analyse(databaseUrl: string, schema: ServiceName): Promise<void> {
  const db = openAsOwner(databaseUrl, schema);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p')`.execute(db.kysely);
  for (const { name } of rows) await sql`vacuum (analyze) ${sql.table(`${schema}.${name}`)}`.execute(db.kysely);
  await db.close();
}
