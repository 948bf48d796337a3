import { type NewStrategy, newStrategySchema, type Strategy } from '@yardarm/shared/contracts/flags';
import { AppError, describeIssues } from '@yardarm/shared/errors';
import { applyOperations, type PatchOperation, refusal } from '../../features/json-patch.ts';

const properties = Object.keys(newStrategySchema.shape);

/**
 * The strategy after all operations. A removed name or sort order stays; another removed property gets its default.
 * Throws `bad-data` that names the operation or the property, and then applies none.
 */
export function patchedStrategy(
  { id, featureName, ...before }: Strategy,
  operations: readonly PatchOperation[],
): NewStrategy {
  for (const [index, operation] of operations.entries()) {
    requireProperty(operation, index, 'path');
    if (operation.op === 'move' || operation.op === 'copy') requireProperty(operation, index, 'from');
  }
  const document = applyOperations(before, operations, 'strategy') as object;
  const result = newStrategySchema.safeParse({ name: before.name, sortOrder: before.sortOrder, ...document });
  if (result.success) return result.data;
  throw new AppError('bad-data', describeIssues(result.error.issues.slice(0, 1), document)[0]!.message);
}

function requireProperty(operation: PatchOperation, index: number, pointer: 'path' | 'from'): void {
  const [, property = ''] = (operation[pointer] ?? '').split('/');
  if (properties.includes(property)) return;
  const paths = properties.map((name) => `/${name}`).join(', ');
  throw refusal(operation, index, `should have as ${pointer} one of ${paths} or a path below it`);
}
