import type { ServedContext } from '@yardarm/shared/bus';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { contextFieldEventData, contextFieldInUse, contextFieldOrderingKey } from './context-field.ts';
import { deleteContextFieldRow, findUsersOfField } from './context-fields.repo.ts';
import { type FieldName, requireContextField } from './update-context-field.ts';

/** As in the public product, the fields that every installation begins with can be deleted too. */
export async function deleteContextField(
  resources: FlagsResources,
  field: FieldName,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const stored = await requireContextField(trx, field, 'update');
    const { name, project } = stored;
    const users = await findUsersOfField(trx, name);
    if (users.length > 0) throw contextFieldInUse(name, users);
    await deleteContextFieldRow(trx, name);
    const preData = contextFieldEventData(stored);
    const events = [{ type: 'context-field-deleted' as const, preData, ...(project !== null && { project }) }];
    await emit({ context, orderingKey: contextFieldOrderingKey(name), events });
  });
}
