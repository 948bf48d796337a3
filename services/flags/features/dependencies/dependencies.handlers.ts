import type { ServedContext } from '@yardarm/shared/bus';
import { projectNotFound } from '../../places/projects/project.ts';
import { hasProject } from '../../places/projects/projects.repo.ts';
import type { FlagsResources } from '../../resources.ts';
import { requireFeatureView } from '../find-feature.ts';
import { hasDependencies, listParentNames, listVariantNames } from './dependencies.repo.ts';

export async function listParentOptions(
  { db }: FlagsResources,
  { projectId, child }: { projectId: string; child: string },
  context: ServedContext,
): Promise<{ features: string[] }> {
  await requireFeatureView(db.kysely, projectId, child, context);
  return { features: await listParentNames(db.kysely, projectId, child) };
}

export async function listParentVariantOptions(
  { db }: FlagsResources,
  { projectId, parent }: { projectId: string; parent: string },
): Promise<{ variants: string[] }> {
  return { variants: await listVariantNames(db.kysely, projectId, parent) };
}

export async function checkDependenciesExist(
  { db }: FlagsResources,
  { projectId }: { projectId: string },
): Promise<{ exist: boolean }> {
  if (!(await hasProject(db.kysely, projectId))) throw projectNotFound(projectId);
  return { exist: await hasDependencies(db.kysely, projectId) };
}
