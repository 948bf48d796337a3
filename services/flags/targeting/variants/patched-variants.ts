import { type NewVariant, newVariantSchema, type Variant } from '@yardarm/shared/contracts/flags';
import { payloadError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { applyOperations, type PatchOperation, refusal } from '../../features/json-patch.ts';

/** A pointer to the list, to a variant, or to a property. Others are refused, such as those through a prototype. */
const pointer =
  /^(\/(\d{1,4}|-)(\/(name|weight|weightType|stickiness|payload(\/(type|value))?|overrides(\/(\d{1,4}|-)(\/(contextName|values(\/(\d{1,4}|-))?))?)?))?)?$/;

const documentSchema = z.object({ variants: z.array(newVariantSchema) });

/** The list after all operations. Throws an error that names the path or property and the value, and applies none. */
export function patchedVariants(variants: readonly Variant[], operations: readonly PatchOperation[]): NewVariant[] {
  for (const [index, operation] of operations.entries()) {
    const { op, path, from } = operation;
    if (!pointer.test(path)) throw refusal(operation, index, 'should have a path such as /0/weight or /-');
    if ((op === 'move' || op === 'copy') && (from === undefined || !pointer.test(from)))
      throw refusal(operation, index, 'should have a from such as /0/weight');
  }
  const document = { variants: applyOperations(variants, operations, 'flag') };
  const result = documentSchema.safeParse(document);
  if (result.success) return result.data.variants;
  throw payloadError(result.error.issues, document);
}
