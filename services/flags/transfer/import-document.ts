import { type ImportDocument, type ImportedFeatures, importDocumentSchema } from '@yardarm/shared/contracts/flags';
import { AppError, describeIssues, payloadError, refuseUnserializable, refuseUnstorable } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { FlagsResources } from '../resources.ts';
import { deleteImportParts, insertImportPart } from './import-parts.repo.ts';

/** A document without the items of its lists that do not conform to the schema. */
export interface ReadDocument {
  place: Omit<ImportDocument, 'data'>;
  data: ImportedFeatures;
  /** What is wrong with the other items. Each message names property and value. */
  faults: string[];
  /** The names of the flags among them. */
  faultyFlags: string[];
}

export async function storeImportPart(
  { db }: FlagsResources,
  part: { uploadId: string; part: number; text: string },
): Promise<void> {
  await insertImportPart(db.kysely, part);
}

/** Throws `validation` that names what is wrong if the document has no place or no lists. */
export async function readDocument(
  { db }: FlagsResources,
  { text, uploadId }: { text?: string | undefined; uploadId?: string | undefined },
): Promise<ReadDocument> {
  const whole = uploadId === undefined ? (text ?? '') : await deleteImportParts(db.kysely, uploadId);
  const document = parsed(whole);
  // The checks of a message do not see into the text.
  refuseUnserializable(document);
  refuseUnstorable(document);
  const result = importDocumentSchema.safeParse(document);
  if (!result.success) return withoutFaults(document as RawDocument, result.error.issues);
  const { data, ...place } = result.data;
  return { place, data, faults: [], faultyFlags: [] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AppError('validation', 'The document should be JSON. Its upload may have expired.');
  }
}

type RawDocument = { data: Record<string, unknown[]> };

/** The path of an issue of an item begins with `data`, the name of the list and the index. */
function withoutFaults(document: RawDocument, issues: readonly z.core.$ZodIssue[]): ReadDocument {
  const others = issues.filter(({ path }) => typeof path[2] !== 'number');
  if (others.length > 0) throw payloadError(others, document);
  const faulty = Map.groupBy(issues, ({ path }) => path[1] as string);
  const lists = Object.entries(document.data).map(([list, items]) => {
    const indexes = new Set(faulty.get(list)?.map(({ path }) => path[2]));
    return [list, Map.groupBy(Array.isArray(items) ? items : [], (_, index) => indexes.has(index))] as const;
  });
  const conforming = lists.map(([list, items]) => [list, items.get(false) ?? []]);
  const { data, ...place } = importDocumentSchema.parse({ ...document, data: Object.fromEntries(conforming) });
  const flags = lists.find(([list]) => list === 'features')?.[1].get(true) ?? [];
  return {
    ...{ place, data, faults: describeIssues(issues, document).map(({ message }) => message) },
    faultyFlags: flags.flatMap((flag) => {
      const name = (flag as { name?: unknown } | null)?.name;
      return typeof name === 'string' ? name : [];
    }),
  };
}
