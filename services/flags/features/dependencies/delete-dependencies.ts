import type { ServedContext } from '@yardarm/shared/bus';
import type {
  deleteDependencies as allContract,
  deleteDependency as oneContract,
} from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { recordChange } from '../../changes/record-change.ts';
import type { FlagsResources } from '../../resources.ts';
import { lockLiveFeature } from '../find-feature.ts';
import { deleteDependencyRows } from './dependencies.repo.ts';
import { dependencyNotFound, noDependencies } from './dependency.ts';

export async function deleteDependency(
  resources: FlagsResources,
  { projectId: project, child, parent }: z.output<typeof oneContract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, child);
    const [deleted] = await deleteDependencyRows(trx, child, parent);
    if (!deleted) throw dependencyNotFound(child, parent);
    const events = [{ type: 'feature-dependency-removed' as const, preData: { ...deleted } }];
    await emit({ context, feature, events, visibleIn: 'all' });
  });
}

export async function deleteDependencies(
  resources: FlagsResources,
  { projectId: project, child }: z.output<typeof allContract.input>,
  context: ServedContext,
): Promise<void> {
  await recordChange(resources, context, async (trx, emit) => {
    const feature = await lockLiveFeature(trx, project, child);
    const dependencies = await deleteDependencyRows(trx, child, null);
    if (dependencies.length === 0) throw noDependencies(child);
    const events = [{ type: 'feature-dependencies-removed' as const, preData: { dependencies } }];
    await emit({ context, feature, events, visibleIn: 'all' });
  });
}
