import { randomBytes } from 'node:crypto';
import type { ServedContext } from '@yardarm/shared/bus';
import type { createProject as contract } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsTables } from '../../db/schema.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockAllEnvironmentsForShare } from '../environments/environments.repo.ts';
import { freeName } from '../incarnations/free-name.ts';
import { findDeletedIncarnation } from '../incarnations/incarnations.repo.ts';
import { requireRoomForNew } from '../limits/limits.repo.ts';
import { requireRoom } from '../limits/room.repo.ts';
import {
  environmentsOfNewProject,
  idFromName,
  projectEventData,
  projectExists,
  projectOrderingKey,
  type StoredProject,
} from './project.ts';
import { insertProject } from './projects.repo.ts';

type Input = z.output<typeof contract.input>;

/** A project made again under the id of a deleted one has its own data, but continues the counters of its revisions. */
export async function createProject(
  resources: FlagsResources,
  input: Input,
  context: ServedContext,
): Promise<z.output<typeof contract.output>> {
  await freeName(resources, { kind: 'project', id: input.id || idFromName(input.name) }, context);
  return await recordChange(resources, context, async (trx, emit) => {
    const environments = environmentsOfNewProject(await lockAllEnvironmentsForShare(trx), input.environments);
    const project = await insertWithId(trx, input, environments);
    // The insert has waited for a deletion that began after `freeName`.
    if ((await findDeletedIncarnation(trx, { kind: 'project', id: project.id })) !== null)
      throw projectExists(project.id);
    await emit({
      context,
      orderingKey: projectOrderingKey(project.id),
      events: [{ type: 'project-created', project: project.id, data: projectEventData(project) }],
    });
    await requireRoomForNew(trx, 'projects', resources.limits);
    if (project.description !== null) await requireRoom(trx, 'project descriptions');
    const { id, name, description, featureLimit, mode, defaultStickiness } = project;
    return {
      ...{ id, name, description, featureLimit, mode, defaultStickiness, environments },
      changeRequestEnvironments: [],
    };
  });
}

async function insertWithId(
  trx: Transaction<FlagsTables>,
  { id, name, description, defaultStickiness, featureLimit }: Input,
  environments: readonly string[],
): Promise<StoredProject> {
  const insert = (newId: string) =>
    insertProject(trx, { id: newId, name, description, defaultStickiness, featureLimit }, environments);
  if (id) {
    const inserted = await insert(id);
    if (!inserted) throw projectExists(id);
    return inserted;
  }
  const inserted = (await insert(idFromName(name))) ?? (await insert(idFromName(name, randomBytes(6).toString('hex'))));
  if (!inserted) throw projectExists(idFromName(name));
  return inserted;
}
