import type { ServedContext } from '@yardarm/shared/bus';
import {
  type importFeatures as contract,
  type ImportDocument,
  type ImportedFeatures,
  importDocumentSchema,
} from '@yardarm/shared/contracts/flags';
import {
  AppError,
  describeIssues,
  hasAtMost,
  payloadError,
  refuseUnserializable,
  refuseUnstorable,
} from '@yardarm/shared/errors';
import { ConcurrencyLimit, TimeSlicer } from '@yardarm/shared/waiting';
import { z } from 'zod';
import type { Limits } from '../places/limits/limits.ts';
import type { FlagsResources } from '../resources.ts';
import { itemTooLarge, maxValuesOfItem } from './document-size.ts';
import { deleteImportParts, insertImportPart, takeImportParts } from './import-parts.repo.ts';
import { isObject, parseDocument } from './parse-document.ts';

/** A document without the items of its lists that do not conform to the schema. */
export interface ReadDocument {
  place: Omit<ImportDocument, 'data'>;
  data: ImportedFeatures;
  /** What is wrong with the other items. Each message names property and value. */
  schemaProblems: string[];
  /** The names of the flags among the items that do not conform. */
  invalidFlags: string[];
  /** The names of the flags that are archived where the document comes from. */
  archivedFlags: string[];
}

/** The JSON text of a document, or the id of the upload that has its parts. */
type SentDocument = z.output<typeof contract.input>['document'];

type ListName = keyof ImportedFeatures;

/** An installation has some hundred. Ten thousand take a tenth of a second. */
const maxDefinitions = 10_000;
/** Most flags have none or one. */
const maxParentsOfFlag = 10;
/** Each is an event with all tags of its flag. 27,000 of 900 flags took 1.1 GB of memory. */
const maxTags = 10_000;
/** As many problems take a second to describe, and 5 MB to send. A document with more is not checked to its end. */
const maxSchemaProblems = 20_000;
/** The others of one item have the same cause as a rule. */
const maxProblemsOfItem = 100;
/** What an error shows of them, beside their number. */
const maxDetails = 10;

/** A document is in memory as text, parsed, and as the changes that it leads to. */
const largeDocuments = new ConcurrencyLimit(2, 'Other imports took all of the time.');

export async function storeImportPart(
  { db }: FlagsResources,
  part: { uploadId: string; part: number; text: string },
): Promise<void> {
  await insertImportPart(db.kysely, part);
}

export async function discardImportParts({ db }: FlagsResources, { uploadId }: { uploadId: string }): Promise<void> {
  await deleteImportParts(db.kysely, uploadId);
}

/** Reads a document and works on it. Works on large documents take turns. Throws what `readDocument` and `work` do. */
export async function withDocument<Result>(
  resources: Pick<FlagsResources, 'db' | 'limits'>,
  sent: SentDocument,
  context: ServedContext,
  work: (document: ReadDocument) => Promise<Result>,
): Promise<Result> {
  const readAndWork = async () => work(await readDocument(resources, sent, context));
  return await (sent.uploadId === undefined ? readAndWork() : largeDocuments.run(context, readAndWork));
}

/**
 * Reads a document in slices of time. Throws `validation` that names what is wrong if the document has no place or no
 * lists, `bad-data` if it is too large, and `timeout` after the deadline.
 */
export async function readDocument(
  { db, limits }: Pick<FlagsResources, 'db' | 'limits'>,
  { text = '', uploadId }: SentDocument,
  context: Pick<ServedContext, 'deadline'>,
): Promise<ReadDocument> {
  const slicer = new TimeSlicer(context);
  const parts = uploadId === undefined ? [text] : await takeImportParts(db.kysely, uploadId);
  if (parts.length === 0) throw new AppError('validation', 'The upload of the document has expired. Send it again.');
  const document = await parseDocument(parts.join(''), slicer);
  const frame = importDocumentSchema.safeParse(withoutItems(document));
  if (!frame.success) throw payloadError(frame.error.issues, document);
  const { data: _, ...place } = frame.data;
  refuseUnstorable(place);
  const sent = (document as { data: Record<ListName, unknown[] | undefined> }).data;
  for (const list of listNames) {
    requireNotTooMany(list, sent[list]?.length ?? 0, maximumOf(list, sent.features?.length ?? 0, limits));
  }
  const read: ReadDocument = {
    ...{ place, data: frame.data.data },
    ...{ schemaProblems: [], invalidFlags: [], archivedFlags: [] },
  };
  for (const list of listNames) {
    for (const [index, item] of (sent[list] ?? []).entries()) {
      readItem(read, document, list, index, item);
      await slicer.next();
    }
  }
  return read;
}

const listNames = Object.keys(importDocumentSchema.shape.data.shape) as ListName[];

const itemSchemas = Object.fromEntries(
  Object.entries(importDocumentSchema.shape.data.shape).map(([list, schema]) => [
    list,
    (schema instanceof z.ZodDefault ? schema.unwrap() : schema).element,
  ]),
) as Record<string, z.ZodType>;

/** The document with empty lists. What is no list stays, so that the schema refuses it. */
function withoutItems(document: unknown): unknown {
  if (!isObject(document) || !isObject(document.data)) return document;
  const lists = Object.entries(document.data).map(([list, items]) => [list, Array.isArray(items) ? [] : items]);
  return { ...document, data: Object.fromEntries(lists) };
}

/** What belongs to flags is bounded by their number: the rest would belong to none, or be too much for one. */
function maximumOf(list: ListName, flags: number, limits: Limits): number {
  switch (list) {
    case 'features':
      return limits.features;
    case 'featureStrategies':
      return flags * limits.strategies;
    case 'featureEnvironments':
    case 'links':
      return flags;
    case 'dependencies':
      return flags * maxParentsOfFlag;
    case 'featureTags':
      return maxTags;
    case 'segments':
      return limits.segments;
    default:
      return maxDefinitions;
  }
}

function requireNotTooMany(list: ListName, count: number, maximum: number): void {
  if (count <= maximum) return;
  throw new AppError('bad-data', `The .data.${list} property should have at most ${maximum} items. You sent ${count}.`);
}

function readItem(read: ReadDocument, document: unknown, list: ListName, index: number, item: unknown): void {
  const path = ['data', list, index];
  if (!hasAtMost(maxValuesOfItem, item)) {
    throw itemTooLarge(`.data.${list}[${index}]`);
  }
  refuseUnserializable(item, path);
  refuseUnstorable(item, path);
  const result = itemSchemas[list]!.safeParse(item);
  if (result.success) {
    (read.data[list] as unknown[]).push(result.data);
    // The schema does not name `archived`, because an import makes no archived flags.
    if (list === 'features' && isObject(item) && item.archived === true) read.archivedFlags.push(String(item.name));
    return;
  }
  const issues = result.error.issues.slice(0, maxProblemsOfItem);
  const within = issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  read.schemaProblems.push(...describeIssues(within, document).map(({ message }) => message));
  if (list === 'features' && isObject(item) && typeof item.name === 'string') read.invalidFlags.push(item.name);
  if (read.schemaProblems.length > maxSchemaProblems) throw tooManyProblems(read.schemaProblems);
}

function tooManyProblems(schemaProblems: readonly string[]): AppError {
  const message = `The document has more than ${maxSchemaProblems} properties that do not conform to the schema. ${schemaProblems[0]}`;
  return new AppError('bad-data', message, {
    details: schemaProblems.slice(0, maxDetails).map((schemaProblem) => ({ message: schemaProblem })),
  });
}
