import type { ServedContext } from '@yardarm/shared/bus';
import type { cloneEnvironment as contract, Environment } from '@yardarm/shared/contracts/flags';
import type { Transaction } from '@yardarm/shared/db';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import { countSegmentsOfArchived } from '../../changes/sizes.repo.ts';
import type { FlagsTables } from '../../db/schema.ts';
import { lockFeaturesOfProjects } from '../../features/features.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { freeName } from '../incarnations/free-name.ts';
import { requireWithinLimit } from '../limits/limits.repo.ts';
import { requireRoom } from '../limits/room.repo.ts';
import { projectOrderingKey } from '../projects/project.ts';
import { lockProjects } from '../projects/projects.repo.ts';
import {
  environmentEventData,
  environmentExists,
  environmentNotFound,
  environmentOrderingKey,
  toEnvironment,
} from './environment.ts';
import {
  copyEnvironment,
  findOpenProjectsWith,
  hasDefaultStrategies,
  lockSegmentsForShare,
} from './environment-copies.repo.ts';
import { insertEnvironment, lockEnvironments } from './environments.repo.ts';
import { requireStrategiesWithinLimit } from './strategies-limit.ts';

const everyProject = '*';

/** Makes an environment like another one for some projects, in one transaction. */
export async function cloneEnvironment(
  resources: FlagsResources,
  { name: source, clone: { name, type, projects: chosen } }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<Environment> {
  await freeName(resources, { kind: 'environment', id: name }, context);
  return await recordChange(resources, context, async (trx, emit) => {
    const projects = await lockChosenProjects(trx, chosen, source);
    const copied = (await lockEnvironments(trx, [source], 'share')).get(source);
    if (copied === undefined) throw environmentNotFound(source);
    const { requiredApprovals } = copied;
    const environment = await insertEnvironment(trx, { name, type, requiredApprovals });
    if (environment === null) throw environmentExists(name);
    const features = await lockFeaturesOfProjects(trx, projects);
    const copy = { source, target: name, projects };
    const segmentUses = await lockSegmentsForShare(trx, copy);
    await copyEnvironment(trx, copy);
    await countSegmentsOfArchived(trx, name, projects);
    await requireStrategiesWithinLimit(trx, projects);
    const visible = features
      .filter(({ archivedAt }) => archivedAt === null)
      .map((feature) => ({ featureName: feature.name, environment: name, isRemoved: false }));
    const data = environmentEventData(environment);
    await emit(
      {
        context,
        orderingKey: environmentOrderingKey(name),
        events: [{ type: 'environment-created', environment: name, data }],
        visible: {
          features: visible,
          places: projects.map((project) => ({ environment: name, project })),
          segmentUses,
        },
      },
      ...projects.map((project) => ({
        context,
        orderingKey: projectOrderingKey(project),
        events: [{ type: 'project-environment-added' as const, project, environment: name }],
      })),
    );
    await requireWithinLimit(trx, 'environments', resources.limits);
    if (await hasDefaultStrategies(trx, name)) await requireRoom(trx, 'default strategies');
    return toEnvironment(environment);
  });
}

/** Locks the projects and returns their ids. A project that is named exists and is not archived. */
async function lockChosenProjects(
  trx: Transaction<FlagsTables>,
  chosen: readonly string[],
  source: string,
): Promise<string[]> {
  const isEvery = chosen.includes(everyProject);
  const ids = isEvery ? await findOpenProjectsWith(trx, source) : [...new Set(chosen)];
  const projects = await lockProjects(trx, ids, 'update');
  const isOpen = (id: string) => projects.get(id)?.archivedAt === null;
  const refused = isEvery ? undefined : ids.find((id) => !isOpen(id));
  if (refused !== undefined) {
    const sent = redactValue(refused, ['projects']);
    throw new AppError(
      'bad-data',
      `The .projects property should name projects that are not archived. You sent ${sent}.`,
    );
  }
  return ids.filter(isOpen);
}
