import { type Kysely, publishOutboxAgain } from '@yardarm/shared/db';

export async function afterRestore(db: Kysely<unknown>): Promise<null> {
  await publishOutboxAgain(db);
  return null;
}
