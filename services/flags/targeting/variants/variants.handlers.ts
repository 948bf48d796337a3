import type { ServedContext } from '@yardarm/shared/bus';
import type { listVariants as contract, Variant } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import { requireFeatureView } from '../../features/find-feature.ts';
import { environmentNotFound } from '../../places/environments/environment.ts';
import type { FlagsResources } from '../../resources.ts';
import { findVariants } from './variants.repo.ts';

export async function listVariants(
  { db }: FlagsResources,
  { projectId: project, featureName, environment }: z.output<typeof contract.input>,
  context: ServedContext,
): Promise<{ variants: Variant[] }> {
  const variants = await findVariants(db.kysely, { project, featureName, environment });
  if (variants) return { variants };
  await requireFeatureView(db.kysely, project, featureName, context);
  throw environmentNotFound(environment, project);
}
