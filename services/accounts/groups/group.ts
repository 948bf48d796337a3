import type { Group } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type StoredUser, toUserName } from '../users/user.ts';

/** A group as stored. Both people and service accounts can be members. */
export interface StoredGroup {
  id: number;
  name: string;
  description: string | null;
  mappingsSSO: string[];
  rootRole: number | null;
  createdBy: string | null;
  createdAt: Date;
  projects: string[];
}

/** The properties of a group that requests can set. */
export type GroupDefinition = Pick<StoredGroup, 'name' | 'description' | 'mappingsSSO' | 'rootRole'>;

export interface StoredMember {
  groupId: number;
  joinedAt: Date;
  createdBy: string | null;
  user: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email' | 'rootRole'>;
}

type Member = Group['users'][number];

export function toGroup(stored: StoredGroup, users: Member[]): Group {
  return { ...stored, createdAt: stored.createdAt.toISOString(), users, userCount: users.length };
}

/** The same as JSON, of members that are JSON already. */
export function groupText(stored: StoredGroup, users: readonly string[]): string {
  const { users: _, ...rest } = toGroup(stored, []);
  return `{"users":[${users.join(',')}],${JSON.stringify({ ...rest, userCount: users.length }).slice(1)}`;
}

export function toMember({ joinedAt, createdBy, user }: StoredMember): Member {
  return {
    joinedAt: joinedAt.toISOString(),
    createdBy,
    user: { ...toUserName(user), rootRole: user.rootRole },
  };
}

export function groupEventData(group: StoredGroup, memberIds: Iterable<number>): Record<string, unknown> {
  const { id, name, description, mappingsSSO, rootRole } = group;
  return { id, name, description, mappingsSSO, rootRole, users: sorted(memberIds) };
}

/** The events of a group and of its memberships share one ordering key. */
export function groupOrderingKey(groupId: number): string {
  return `group:${groupId}`;
}

/** The definition after an update; absent properties stay. */
export function definitionAfter(
  stored: GroupDefinition,
  change: { [P in keyof GroupDefinition]?: GroupDefinition[P] | undefined },
): GroupDefinition {
  const { name = stored.name, description = stored.description } = change;
  const { mappingsSSO = stored.mappingsSSO, rootRole = stored.rootRole } = change;
  return { name, description, mappingsSSO, rootRole };
}

export function isSameDefinition(stored: StoredGroup, requested: GroupDefinition): boolean {
  return (
    stored.name === requested.name &&
    stored.description === requested.description &&
    stored.rootRole === requested.rootRole &&
    JSON.stringify(stored.mappingsSSO) === JSON.stringify(requested.mappingsSSO)
  );
}

export function membersChange(before: ReadonlySet<number>, after: ReadonlySet<number>) {
  return { joining: sorted(after.difference(before)), leaving: sorted(before.difference(after)) };
}

export function requireMembers(requested: readonly { user: { id: number } }[], found: ReadonlySet<number>): void {
  requested.forEach(({ user: { id } }, index) => {
    if (found.has(id)) return;
    const rule = 'should be the id of a user or a service account';
    throw new AppError('bad-data', `The .users[${index}].user.id property ${rule}. You sent ${redactValue(id, [])}.`);
  });
}

export function groupNameTaken(name: string): AppError {
  return new AppError('name-exists', `There is already a group called ${redactValue(name, ['name'])}.`);
}

export function groupNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the group with ID "${id}".`);
}

function sorted(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}
