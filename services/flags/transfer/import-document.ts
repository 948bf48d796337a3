import { type ImportDocument, importDocumentSchema } from '@yardarm/shared/contracts/flags';
import { AppError, payloadError, refuseUnserializable, refuseUnstorable } from '@yardarm/shared/errors';
import type { FlagsResources } from '../resources.ts';
import { deleteImportParts, insertImportPart } from './import-parts.repo.ts';

export async function storeImportPart(
  { db }: FlagsResources,
  part: { uploadId: string; part: number; text: string },
): Promise<void> {
  await insertImportPart(db.kysely, part);
}

/** Throws `validation` that names what is wrong with the document. */
export async function readDocument(
  { db }: FlagsResources,
  { text, uploadId }: { text?: string | undefined; uploadId?: string | undefined },
): Promise<ImportDocument> {
  const whole = uploadId === undefined ? (text ?? '') : await deleteImportParts(db.kysely, uploadId);
  const document = parsed(whole);
  // The checks of a message do not see into the text.
  refuseUnserializable(document);
  refuseUnstorable(document);
  const result = importDocumentSchema.safeParse(document);
  if (!result.success) throw payloadError(result.error.issues, document);
  return result.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('validation', 'The document should be JSON. Its upload may have expired.');
  }
}
