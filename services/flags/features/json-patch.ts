import { changeableFeatureSchema } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import jsonPatch from 'fast-json-patch';
import type { z } from 'zod';
import type { ChangeableFeature } from './feature.ts';

export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'copy' | 'move' | 'test';
  path: string;
  from?: string | undefined;
  value?: unknown;
}

/**
 * What the copies of a patch may copy together, as much as the strategies of a flag have. A copy takes time for all
 * that it copies: a hundred copies of a large list would occupy the process for a second. The library also copies the
 * value that a move replaces.
 */
const maxCopiedBytes = 500_000;

/** The properties that a patch may remove, each with the null that it has afterwards. */
const removable = Object.fromEntries(
  Object.entries(changeableFeatureSchema.shape)
    .filter(([, schema]) => schema.isNullable())
    .map(([property]) => [property, null]),
);

const paths = Object.keys(changeableFeatureSchema.shape).map((property) => `/${property}`);

/**
 * The document after all operations. Throws `bad-data` that names the path and the value sent, and then applies none.
 * Pointers are compared as text. No property needs an escape, so each has a single pointer.
 */
export function patched(document: ChangeableFeature, operations: readonly PatchOperation[]): ChangeableFeature {
  for (const [index, operation] of operations.entries()) {
    requirePath(operation, index, 'path');
    if (operation.op === 'move' || operation.op === 'copy') requirePath(operation, index, 'from');
    if (
      (operation.op === 'add' || operation.op === 'replace' || operation.op === 'test') &&
      operation.value === undefined
    ) {
      throw refusal(operation, index, `has no value, which "${operation.op}" needs`);
    }
  }
  const result = changeableFeatureSchema.safeParse({
    ...removable,
    ...(applyOperations(document, operations, 'flag') as object),
  });
  if (result.success) return result.data;
  throw invalidResult(result.error.issues[0]!, operations);
}

/**
 * The document after all operations, of which each is validated: else the removal of an absent property would succeed.
 * Throws `bad-data` that names the operation, and then applies none. `owner` is what has the document, in the message
 * of a test that fails.
 */
export function applyOperations(
  document: object,
  operations: readonly PatchOperation[],
  owner: 'flag' | 'strategy',
): unknown {
  let result: unknown = structuredClone(document);
  let copiedBytes = 0;
  for (const [index, operation] of operations.entries()) {
    try {
      if (operation.op === 'copy') copiedBytes += bytesAt(result, operation.from!);
      if (operation.op === 'move') copiedBytes += bytesAt(result, operation.path);
      if (copiedBytes > maxCopiedBytes) {
        throw refusal(operation, index, operation.op === 'move' ? 'replaces too much' : 'copies too much');
      }
      result = jsonPatch.applyOperation(result, operation as jsonPatch.Operation, true).newDocument;
    } catch (error) {
      if (error instanceof AppError) throw error;
      // Any other error is about the operation, such as the TypeError for a path through a prototype.
      const isTest = error instanceof jsonPatch.JsonPatchError && error.name === 'TEST_OPERATION_FAILED';
      throw refusal(operation, index, isTest ? `is not what the ${owner} has` : 'cannot be applied');
    }
  }
  return result;
}

function bytesAt(document: unknown, pointer: string): number {
  return JSON.stringify(jsonPatch.getValueByPointer(document, pointer) ?? null).length;
}

function requirePath(operation: PatchOperation, index: number, property: 'path' | 'from'): void {
  if (paths.includes(operation[property] ?? '')) return;
  throw refusal(operation, index, `should have as ${property} one of ${paths.join(', ')}`);
}

/** Names the operation, its path and what was sent. */
export function refusal(operation: PatchOperation, index: number, problem: string): AppError {
  const path = redactValue(operation.path, []);
  return new AppError(
    'bad-data',
    `The operation [${index}] on the path ${path} ${problem}. You sent ${redactValue(operation, [])}.`,
  );
}

/** Names the last operation that wrote the property. The document was valid before the patch. */
function invalidResult(issue: z.core.$ZodIssue, operations: readonly PatchOperation[]): AppError {
  const path = `/${String(issue.path[0] ?? '')}`;
  const index = operations.findLastIndex(
    ({ op, path: to, from }) => (to === path && op !== 'test') || (op === 'move' && from === path),
  );
  const operation = operations[index];
  if (!operation) return new AppError('bad-data', `The patch leaves no valid value at ${path}.`);
  if (operation.op === 'remove' || (operation.op === 'move' && operation.from === path)) {
    return refusal(operation, index, `leaves the flag without ${path}`);
  }
  const expected = issue.code === 'invalid_type' ? issue.expected : 'another value';
  return refusal(operation, index, `should give ${path} a ${expected}`);
}
