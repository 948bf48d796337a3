import { can } from '@yardarm/shared/auth';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import { importPermissions } from '@yardarm/shared/contracts/flags';
import type { ImportPlan } from './import-plan.ts';

interface Required {
  /** The permissions, of which the caller needs only one. */
  permissions: Permission[];
  isRequired: boolean;
}

/**
 * The permissions that the changes of a plan need and the actor does not have, each as the names that would do. An
 * import without changes needs any of those of imports.
 */
export function missingPermissions(
  { flags, contextFields, tagTypes }: ImportPlan,
  actor: Actor,
  place: { project: string; environment: string },
): Permission[][] {
  const some = (isChanged: (flag: ImportPlan['flags'][number]) => boolean) => flags.some(isChanged);
  const required: Required[] = [
    { permissions: ['CREATE_FEATURE'], isRequired: some(({ before }) => before === null) },
    {
      permissions: ['UPDATE_FEATURE'],
      isRequired: some(
        ({ before, update, tags, links }) =>
          before !== null && (update !== null || tags.added.length + tags.removed.length > 0 || links !== null),
      ),
    },
    {
      permissions: ['CREATE_FEATURE_STRATEGY'],
      isRequired: some(({ strategies }) => (strategies?.added.length ?? 0) > 0),
    },
    {
      permissions: ['DELETE_FEATURE_STRATEGY'],
      isRequired: some(({ strategies }) => (strategies?.removed.length ?? 0) > 0),
    },
    { permissions: ['UPDATE_FEATURE_ENVIRONMENT'], isRequired: some(({ enabled }) => enabled !== null) },
    { permissions: ['UPDATE_FEATURE_ENVIRONMENT_VARIANTS'], isRequired: some(({ variants }) => variants !== null) },
    {
      permissions: ['UPDATE_FEATURE_DEPENDENCY'],
      isRequired: some(({ dependencies: { set, removed } }) => set.length + removed.length > 0),
    },
    { permissions: ['CREATE_CONTEXT_FIELD'], isRequired: contextFields.some(({ project }) => !project) },
    {
      permissions: ['CREATE_CONTEXT_FIELD', 'UPDATE_PROJECT_CONTEXT'],
      isRequired: contextFields.some(({ project }) => project),
    },
    { permissions: ['CREATE_TAG_TYPE'], isRequired: tagTypes.length > 0 },
  ];
  const hasAny = (names: readonly Permission[]) => names.some((name) => can(actor, name, place));
  const missing = required.filter(({ permissions, isRequired }) => isRequired && !hasAny(permissions));
  if (missing.length > 0) return missing.map(({ permissions }) => permissions);
  return hasAny(importPermissions) ? [] : [[...importPermissions]];
}
