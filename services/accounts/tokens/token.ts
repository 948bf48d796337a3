import { type Actor, adminTokenUserId } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type GrantedRole, grantsOf } from '../roles/role.ts';

/** A token as stored, with its owner and the roles of the owner when it has one. */
export interface StoredToken {
  id: number;
  kind: ResolvedToken['kind'];
  name: string;
  selector: string;
  hash: string;
  expiresAt: Date | null;
  environment: string | null;
  projects: string[];
  owner: TokenOwner | null;
}

export interface TokenOwner {
  id: number;
  kind: 'user' | 'service-account';
  username: string | null;
  name: string | null;
  email: string | null;
  isDeleted: boolean;
  mustChangePassword: boolean;
  roles: GrantedRole[];
}

/** What the token may do now; null when nobody stands behind it any more. Expiry is the reader's to check: he has the clock. */
export function resolve(token: StoredToken): ResolvedToken | null {
  const { owner, expiresAt, ...rest } = token;
  const isOwned = token.kind === 'personal' || token.kind === 'session';
  if (isOwned && (owner === null || owner.isDeleted)) return null;
  const actor = isOwned && owner ? actorOf(owner) : token.kind === 'admin' ? adminActor(token) : null;
  return {
    ...rest,
    expiresAt: expiresAt?.toISOString() ?? null,
    actor,
    // Tokens for machines go on while their owner has yet to choose a password.
    mustChangePassword: token.kind === 'session' && owner?.mustChangePassword === true,
  };
}

function adminActor(token: StoredToken): Actor {
  return { kind: 'admin-token', id: adminTokenUserId, username: token.name, grants: [{ permissions: ['ADMIN'] }] };
}

function actorOf(owner: TokenOwner): Actor {
  return {
    kind: owner.kind,
    id: owner.id,
    // A person may have an e-mail address alone.
    username: owner.username ?? owner.email ?? String(owner.id),
    ...(owner.name !== null && { name: owner.name }),
    ...(owner.email !== null && { email: owner.email }),
    grants: grantsOf(owner.roles),
  };
}

/** The end of a new token's life, or `bad-data` naming the value: it lies ahead, and in a year of four digits. */
export function decideExpiry(expiresAt: string, now: Date): Date {
  const end = new Date(expiresAt);
  const refuse = (rule: string) =>
    new AppError('bad-data', `The .expiresAt property ${rule}. You sent ${redactValue(expiresAt, ['expiresAt'])}.`);
  // Written as `!(…)` so that a date that is none fails too.
  if (!(end > now)) throw refuse('should be a date-time in the future');
  if (end.getUTCFullYear() > 9999) throw refuse('should lie before the year 10000');
  return end;
}
