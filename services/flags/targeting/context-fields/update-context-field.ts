import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { LegalValue } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { hasGrown, requireRoom } from '../../places/limits/room.repo.ts';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import {
  type ContextFieldSettings,
  checkLegalValues,
  contextFieldEventData,
  contextFieldNotFound,
  contextFieldOrderingKey,
  type StoredContextField,
  withLegalValue,
} from './context-field.ts';
import { lockContextField, updateContextFieldRow } from './context-fields.repo.ts';

/** A field by its name; with a project, only one of that project. */
export interface FieldName {
  name: string;
  projectId?: string;
}

export async function updateContextField(
  resources: FlagsResources,
  { name, projectId, ...settings }: FieldName & ContextFieldSettings,
  context: ServedContext,
): Promise<void> {
  await change(resources, { name, projectId }, () => settings, context);
}

export async function setLegalValue(
  resources: FlagsResources,
  { name, projectId, value, description }: FieldName & LegalValue,
  context: ServedContext,
): Promise<void> {
  const added = { value, ...(description !== undefined && { description }) };
  const set = ({ legalValues }: StoredContextField) => ({ legalValues: withLegalValue(legalValues, added) });
  await change(resources, { name, projectId }, set, context);
}

/** As in the public product, the removal of a value that the field does not have is no error. */
export async function deleteLegalValue(
  resources: FlagsResources,
  { name, projectId, value }: FieldName & { value: string },
  context: ServedContext,
): Promise<void> {
  const without = ({ legalValues }: StoredContextField) => ({
    legalValues: legalValues.filter((known) => known.value !== value),
  });
  await change(resources, { name, projectId }, without, context);
}

async function change(
  resources: FlagsResources,
  field: { name: string; projectId: string | undefined },
  changed: (before: StoredContextField) => Partial<ContextFieldSettings>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const before = await requireContextField(trx, field, 'no key update');
    const after = { ...before, ...changed(before) };
    if (isDeepStrictEqual(before, after)) return;
    checkLegalValues(after.legalValues);
    await updateContextFieldRow(trx, after);
    if (hasGrown(before, after)) await requireRoom(trx, 'context fields');
    const { name, project } = before;
    const [data, preData] = [contextFieldEventData(after), contextFieldEventData(before)];
    const events = [{ type: 'context-field-updated' as const, data, preData, ...(project !== null && { project }) }];
    await emit({ context, orderingKey: contextFieldOrderingKey(name), events });
  });
}

/** Locks the field. With a project, a field of all projects is not found: the project must not change it. */
export async function requireContextField(
  trx: Transaction<FlagsTables>,
  { name, projectId }: { name: string; projectId?: string | undefined },
  mode: Parameters<typeof lockContextField>[2],
): Promise<StoredContextField> {
  if (projectId !== undefined && !(await hasProject(trx, projectId))) throw projectNotFound(projectId);
  const field = await lockContextField(trx, name, mode);
  if (!field || (projectId !== undefined && field.project !== projectId)) throw contextFieldNotFound(name, projectId);
  return field;
}
