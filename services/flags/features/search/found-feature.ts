import type { FoundFeature } from '@yardarm/shared/contracts/flags';
import type { ChangeableFeature, StoredFeature } from '../feature.ts';
import { type KnownPerson, toPerson } from '../person.ts';

export interface FoundRow
  extends Pick<StoredFeature, 'name' | 'project' | 'createdAt' | 'archivedAt'>,
    Omit<ChangeableFeature, 'archived'> {
  favorite: boolean;
  hasChildren: boolean;
  hasParents: boolean;
  createdBy: KnownPerson;
  segments: string[];
  tags: NonNullable<FoundFeature['tags']>;
  lifecycle: { stage: FoundFeature['lifecycle']['stage']; status: string | null; enteredAt: string };
  environments: Omit<FoundFeature['environments'][number], 'changeRequestIds'>[];
}

export function toFoundFeature({ hasChildren, hasParents, lifecycle, ...row }: FoundRow): FoundFeature {
  const { stage, status, enteredAt } = lifecycle;
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
    createdBy: toPerson(row.createdBy),
    dependencyType: hasChildren ? 'parent' : hasParents ? 'child' : null,
    lifecycle: { stage, ...(status !== null && { status }), enteredStageAt: new Date(enteredAt).toISOString() },
    environments: row.environments.map(({ lastSeenAt, ...environment }) => ({
      ...environment,
      lastSeenAt: lastSeenAt === null ? null : new Date(lastSeenAt).toISOString(),
      changeRequestIds: [],
    })),
  };
}
