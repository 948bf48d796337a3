import type { ServedContext } from '@yardarm/shared/bus';
import type { ContextField, createContextField as contract } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { requireRoom } from '../../places/limits/room.repo.ts';
import { requireOpenProject } from '../../places/projects/find-project.ts';
import type { FlagsResources } from '../../resources.ts';
import {
  type ContextFieldSettings,
  checkLegalValues,
  contextFieldEventData,
  contextFieldExists,
  contextFieldOrderingKey,
  toContextField,
} from './context-field.ts';
import { findContextField, insertContextFields } from './context-fields.repo.ts';

/** The project of the body is a reference, so that an unknown one is `bad-data`. */
export async function createContextField(
  resources: FlagsResources,
  { project, ...field }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<ContextField> {
  return await create(resources, { ...field, project: project ?? null }, context).catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'not-found')) throw error;
    const sent = redactValue(project, []);
    throw new AppError('bad-data', `The .project property should be an existing project. You sent ${sent}.`);
  });
}

export async function createContextFieldOfProject(
  resources: FlagsResources,
  { projectId, ...field }: { projectId: string; name: string } & ContextFieldSettings,
  context: ServedContext,
): Promise<ContextField> {
  return await create(resources, { ...field, project: projectId }, context);
}

async function create(
  resources: FlagsResources,
  field: { name: string; project: string | null } & ContextFieldSettings,
  context: ServedContext,
): Promise<ContextField> {
  const { name, project } = field;
  checkLegalValues(field.legalValues);
  return await recordChange(resources, context, async (trx, emit) => {
    if (project !== null) await requireOpenProject(trx, project);
    const [created] = await insertContextFields(trx, [field]);
    if (!created) throw contextFieldExists(name);
    await requireRoom(trx, 'context fields');
    const data = contextFieldEventData(created);
    const events = [{ type: 'context-field-created' as const, data, ...(project !== null && { project }) }];
    await emit({ context, orderingKey: contextFieldOrderingKey(name), events });
    return toContextField((await findContextField(trx, name))!);
  });
}
