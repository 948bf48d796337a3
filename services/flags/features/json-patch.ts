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
  const result = changeableFeatureSchema.safeParse({ ...removable, ...applyOperations(document, operations) });
  if (result.success) return result.data;
  throw invalidResult(result.error.issues[0]!, operations);
}

/**
 * `applyPatch` validates, else the removal of an absent property would succeed. It works on a copy, else the operations
 * before a wrong one would stay applied.
 */
function applyOperations(document: ChangeableFeature, operations: readonly PatchOperation[]): object {
  try {
    return jsonPatch.applyPatch(document, operations as jsonPatch.Operation[], true, false).newDocument;
  } catch (error) {
    if (!(error instanceof jsonPatch.JsonPatchError)) throw error;
    // For some problems the error's own index is 0 whatever the operation was.
    const index = Math.max(0, operations.indexOf(error.operation));
    const problem =
      error.name === 'TEST_OPERATION_FAILED' ? 'is not what the flag has' : `cannot be applied (${error.name})`;
    throw refusal(operations[index]!, index, problem);
  }
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
