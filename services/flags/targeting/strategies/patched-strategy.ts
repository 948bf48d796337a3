import { type NewStrategy, newStrategySchema, type Strategy } from '@yardarm/shared/contracts/flags';
import { AppError, describeIssues, redactValue } from '@yardarm/shared/errors';
import jsonPatch from 'fast-json-patch';
import { maxStrategyBytes } from './strategy.ts';

export interface PatchOperation {
  op: 'add' | 'remove' | 'replace' | 'copy' | 'move' | 'test';
  path: string;
  from?: string | undefined;
  value?: unknown;
}

const properties = Object.keys(newStrategySchema.shape);

/**
 * The strategy after all operations. A removed name or sort order stays; another removed property gets its default.
 * Throws `bad-data` that names the operation or the property, and then applies none.
 */
export function patchedStrategy(
  { id, featureName, ...before }: Strategy,
  operations: readonly PatchOperation[],
): NewStrategy {
  let document: object = structuredClone(before);
  for (const [index, operation] of operations.entries()) {
    requireProperty(operation, index, 'path');
    if (operation.op === 'move' || operation.op === 'copy') requireProperty(operation, index, 'from');
    document = applied(document, operation, index);
  }
  const result = newStrategySchema.safeParse({ name: before.name, sortOrder: before.sortOrder, ...document });
  if (result.success) return result.data;
  throw new AppError('bad-data', describeIssues(result.error.issues.slice(0, 1), document)[0]!.message);
}

function applied(document: object, operation: PatchOperation, index: number): object {
  try {
    const { newDocument } = jsonPatch.applyOperation(document, operation as jsonPatch.Operation, true);
    // Some copies of a document into itself would fill the memory.
    if (operation.op === 'copy' && JSON.stringify(newDocument).length > maxStrategyBytes) {
      throw refusal(operation, index, 'makes the strategy too large');
    }
    return newDocument;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Any other error is about the operation, such as the TypeError for a path through a prototype.
    const isTest = error instanceof jsonPatch.JsonPatchError && error.name === 'TEST_OPERATION_FAILED';
    throw refusal(operation, index, isTest ? 'is not what the strategy has' : 'cannot be applied');
  }
}

function requireProperty(operation: PatchOperation, index: number, pointer: 'path' | 'from'): void {
  const [, property = ''] = (operation[pointer] ?? '').split('/');
  if (properties.includes(property)) return;
  const paths = properties.map((name) => `/${name}`).join(', ');
  throw refusal(operation, index, `should have as ${pointer} one of ${paths} or a path below it`);
}

function refusal(operation: PatchOperation, index: number, problem: string): AppError {
  const path = redactValue(operation.path, []);
  return new AppError(
    'bad-data',
    `The operation [${index}] on the path ${path} ${problem}. You sent ${redactValue(operation, [])}.`,
  );
}
