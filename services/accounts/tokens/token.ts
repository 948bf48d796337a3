import { type Actor, adminTokenUserId } from '@yardarm/shared/contracts';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { type GrantedRole, grantsOf } from '../roles/role.ts';

/** A token as stored, with its owner and the roles of the owner, if it has one. */
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

/** What the token may do now; null when its owner no longer exists. The reader checks the expiry by its own clock. */
export function resolve(token: StoredToken): ResolvedToken | null {
  const { owner, expiresAt, ...rest } = token;
  const isOwned = token.kind === 'personal' || token.kind === 'session';
  if (isOwned && (owner === null || owner.isDeleted)) return null;
  const actor = isOwned && owner ? actorOf(owner) : token.kind === 'admin' ? adminActor(token) : null;
  return {
    ...rest,
    expiresAt: expiresAt?.toISOString() ?? null,
    actor,
    // Tokens of machines stay valid while their owner has yet to choose a password.
    mustChangePassword: token.kind === 'session' && owner?.mustChangePassword === true,
  };
}

function adminActor(token: StoredToken): Actor {
  return { kind: 'admin-token', id: adminTokenUserId, username: token.name, grants: [{ permissions: ['ADMIN'] }] };
}

/** A person or service account as the actor of requests, with everything that its roles permit. */
export function actorOf(owner: Pick<TokenOwner, 'id' | 'kind' | 'username' | 'name' | 'email' | 'roles'>): Actor {
  return {
    kind: owner.kind,
    id: owner.id,
    username: owner.username ?? owner.email ?? String(owner.id),
    ...(owner.name !== null && { name: owner.name }),
    ...(owner.email !== null && { email: owner.email }),
    grants: grantsOf(owner.roles),
  };
}

/** The expiry of a new token. Throws `bad-data` unless it is in the future and its year has four digits. */
export function decideExpiry(expiresAt: string, now: Date): Date {
  const expiry = new Date(expiresAt);
  const badExpiry = (rule: string) =>
    new AppError('bad-data', `The .expiresAt property ${rule}. You sent ${redactValue(expiresAt, ['expiresAt'])}.`);
  // Written as `!(…)` so that an invalid date fails too.
  if (!(expiry > now)) throw badExpiry('should be a date-time in the future');
  if (expiry.getUTCFullYear() > 9999) throw badExpiry('should be before the year 10000');
  return expiry;
}
