import { type NewVariant, newVariantSchema, type Variant } from '@yardarm/shared/contracts/flags';
import { AppError, payloadError } from '@yardarm/shared/errors';
import jsonPatch from 'fast-json-patch';
import { z } from 'zod';
import { type PatchOperation, refusal } from '../../features/json-patch.ts';
import { maxStrategyBytes } from '../strategies/strategy.ts';

/** A pointer to the list, to a variant, or to a property. Others are refused, such as those through a prototype. */
const pointer =
  /^(\/(\d{1,4}|-)(\/(name|weight|weightType|stickiness|payload(\/(type|value))?|overrides(\/(\d{1,4}|-)(\/(contextName|values(\/(\d{1,4}|-))?))?)?))?)?$/;

const documentSchema = z.object({ variants: z.array(newVariantSchema) });

/** The list after all operations. Throws an error that names the path or property and the value, and applies none. */
export function patchedVariants(variants: readonly Variant[], operations: readonly PatchOperation[]): NewVariant[] {
  let list: unknown = structuredClone(variants);
  for (const [index, operation] of operations.entries()) {
    const { op, path, from } = operation;
    if (!pointer.test(path)) throw refusal(operation, index, 'should have a path such as /0/weight or /-');
    if ((op === 'move' || op === 'copy') && (from === undefined || !pointer.test(from)))
      throw refusal(operation, index, 'should have a from such as /0/weight');
    list = applied(list, operation, index);
  }
  const document = { variants: list };
  const result = documentSchema.safeParse(document);
  if (result.success) return result.data.variants;
  throw payloadError(result.error.issues, document);
}

/** It validates the operation, else the removal of an absent variant would succeed. */
function applied(list: unknown, operation: PatchOperation, index: number): unknown {
  try {
    const { newDocument } = jsonPatch.applyOperation(list, operation as jsonPatch.Operation, true);
    // Some copies of a list into itself would fill the memory.
    if (operation.op === 'copy' && JSON.stringify(newDocument).length > maxStrategyBytes)
      throw refusal(operation, index, 'makes the variants too large');
    return newDocument;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Any other error is about the operation.
    const isTest = error instanceof jsonPatch.JsonPatchError && error.name === 'TEST_OPERATION_FAILED';
    throw refusal(operation, index, isTest ? 'is not what the flag has' : 'cannot be applied');
  }
}
