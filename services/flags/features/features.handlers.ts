import { encodeItems, type Frame, readAhead, type ServedContext } from '@yardarm/shared/bus';
import {
  listFeatures as contract,
  type FeatureEnvironment,
  type VersionedFeature,
} from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { runLargeRead } from '../large-reads.ts';
import { environmentNotFound } from '../places/environments/environment.ts';
import { projectNotFound } from '../places/projects/project.ts';
import { hasProject } from '../places/projects/projects.repo.ts';
import type { FlagsResources } from '../resources.ts';
import { featureNotFound } from './feature.ts';
import { readFeatures } from './feature-views.repo.ts';
import { requireFeatureView } from './find-feature.ts';

export async function getFeature(
  { db }: FlagsResources,
  { projectId, featureName }: { projectId: string; featureName: string },
  context: ServedContext,
): Promise<VersionedFeature> {
  const found = await requireFeatureView(db.kysely, projectId, featureName, context);
  // The archive lists it.
  if (found.archived) throw featureNotFound(featureName, projectId);
  return found;
}

export async function getFeatureEnvironment(
  { db }: FlagsResources,
  { projectId, featureName, environment }: { projectId: string; featureName: string; environment: string },
  context: ServedContext,
): Promise<FeatureEnvironment> {
  const { environments } = await requireFeatureView(db.kysely, projectId, featureName, context);
  const found = environments.find(({ name }) => name === environment);
  if (found === undefined) throw environmentNotFound(environment, projectId);
  return found;
}

/** By name, in the state of one moment. All flags are read before a slow caller has received them. */
export function listFeatures(
  resources: FlagsResources,
  { projectId, ...filters }: z.output<typeof contract.input>,
  context: ServedContext,
): AsyncGenerator<Frame> {
  const listed = { ...filters, project: projectId, userId: context.actor?.id ?? null };
  return readAhead(
    (push) =>
      runLargeRead(resources, context, () =>
        resources.db.transaction(
          async (trx) => {
            if (!(await hasProject(trx, projectId))) throw projectNotFound(projectId);
            const slicer = new TimeSlicer(context);
            for await (const features of readFeatures(trx, listed, slicer)) {
              for (const frame of encodeItems(contract, features)) {
                push(frame);
                await slicer.next();
              }
            }
          },
          // Only reads, which collide with nothing: it never runs again and pushes a frame twice.
          { isolation: 'repeatable read', readOnly: true },
        ),
      ),
    context,
  );
}
