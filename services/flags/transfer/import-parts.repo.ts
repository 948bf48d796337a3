import { type Kysely, sql } from '@yardarm/shared/db';
import type { FlagsTables } from '../db/schema.ts';

/** The gateway uses an upload within its request timeout, which is at most a minute. */
const expiryMinutes = 5;

/** Stores a part, and deletes the expired parts of other uploads. */
export async function insertImportPart(
  db: Kysely<FlagsTables>,
  { uploadId, part, text }: { uploadId: string; part: number; text: string },
): Promise<void> {
  await sql`
    with expired as (
      delete from import_parts where created_at < now() - make_interval(mins => ${expiryMinutes})
    )
    insert into import_parts (upload_id, part, content) values (${uploadId}, ${part}, ${text})
    on conflict on constraint import_parts_pkey do nothing`.execute(db);
}

export async function deleteImportParts(db: Kysely<FlagsTables>, uploadId: string): Promise<void> {
  await db.deleteFrom('import_parts').where('upload_id', '=', uploadId).execute();
}

/** Deletes the parts of an upload and returns them in their order; none when it does not exist or has expired. */
export async function takeImportParts(db: Kysely<FlagsTables>, uploadId: string): Promise<string[]> {
  const { rows } = await sql<{ part: number; content: string }>`
    delete from import_parts where upload_id = ${uploadId} returning part, content`.execute(db);
  rows.sort((one, other) => one.part - other.part);
  return rows.map(({ content }) => content);
}
