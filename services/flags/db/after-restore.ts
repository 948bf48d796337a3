import { type Kysely, publishOutboxAgain, sql } from '@yardarm/shared/db';

/** SDKs and gateways have positions of changes that the database does not have. With another epoch they read all. */
export async function afterRestore(db: Kysely<unknown>, epoch: string): Promise<null> {
  await sql`update epoch set epoch = ${epoch}`.execute(db);
  await publishOutboxAgain(db);
  return null;
}
