import type { Group } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type StoredUser, toUserName } from '../users/user.ts';

/**
 * A group as it is stored. Its members are people and service accounts alike: a role is a role, whoever works by it.
 */
export interface StoredGroup {
  id: number;
  name: string;
  description: string | null;
  mappingsSSO: string[];
  rootRole: number | null;
  createdBy: string | null;
  createdAt: Date;
  /** The projects in which it has a role. */
  projects: string[];
}

/** What people say of a group. */
export type GroupDefinition = Pick<StoredGroup, 'name' | 'description' | 'mappingsSSO' | 'rootRole'>;

export interface StoredMember {
  groupId: number;
  joinedAt: Date;
  createdBy: string | null;
  user: Pick<StoredUser, 'id' | 'kind' | 'name' | 'username' | 'email' | 'rootRole'>;
}

/** The wire shape. */
export function toGroup(stored: StoredGroup, members: readonly StoredMember[]): Group {
  return {
    ...stored,
    createdAt: stored.createdAt.toISOString(),
    users: members.map(({ joinedAt, createdBy, user }) => ({
      joinedAt: joinedAt.toISOString(),
      createdBy,
      user: { ...toUserName(user), rootRole: user.rootRole },
    })),
    userCount: members.length,
  };
}

/** What an event says of a group; members by id. */
export function groupEventData(group: StoredGroup, memberIds: Iterable<number>): Record<string, unknown> {
  const { id, name, description, mappingsSSO, rootRole } = group;
  return { id, name, description, mappingsSSO, rootRole, users: sorted(memberIds) };
}

/** All that happens to a group, its members included, is published in order. */
export function groupOrderingKey(groupId: number): string {
  return `group:${groupId}`;
}

/** The definition after an update, in which what is absent stays. */
export function definitionAfter(
  stored: GroupDefinition,
  change: { [P in keyof GroupDefinition]?: GroupDefinition[P] | undefined },
): GroupDefinition {
  const { name = stored.name, description = stored.description } = change;
  const { mappingsSSO = stored.mappingsSSO, rootRole = stored.rootRole } = change;
  return { name, description, mappingsSSO, rootRole };
}

/** Whether the definition says what is stored. */
export function isSameDefinition(stored: StoredGroup, asked: GroupDefinition): boolean {
  return (
    stored.name === asked.name &&
    stored.description === asked.description &&
    stored.rootRole === asked.rootRole &&
    JSON.stringify(stored.mappingsSSO) === JSON.stringify(asked.mappingsSSO)
  );
}

/** Who joins and who leaves when these members become those. */
export function membersChange(before: ReadonlySet<number>, after: ReadonlySet<number>) {
  return { joining: sorted(after.difference(before)), leaving: sorted(before.difference(after)) };
}

/** Throws `bad-data` naming the first of the asked members who is no living user or service account. */
export function requireMembers(asked: readonly { user: { id: number } }[], living: ReadonlySet<number>): void {
  asked.forEach(({ user: { id } }, index) => {
    if (living.has(id)) return;
    const words = 'should be the id of a user or a service account';
    throw new AppError('bad-data', `The .users[${index}].user.id property ${words}. You sent ${redactValue(id, [])}.`);
  });
}

/** `name-exists` of a name that another group has, in whatever case. */
export function groupNameTaken(name: string): AppError {
  return new AppError('name-exists', `There is already a group called ${redactValue(name, ['name'])}.`);
}

/** `not-found` of a group. */
export function groupNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the group with ID "${id}".`);
}

function sorted(ids: Iterable<number>): number[] {
  return [...ids].sort((a, b) => a - b);
}
