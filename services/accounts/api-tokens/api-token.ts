import { can, redactToken } from '@yardarm/shared/auth';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import type { ApiToken, MadeApiToken } from '@yardarm/shared/contracts/accounts';
import { AppError, redactValue } from '@yardarm/shared/errors';

export type ApiTokenKind = ApiToken['type'];

/** What callers call the kinds: a client token has two names. */
export type ApiTokenType = MadeApiToken['type'];

/** What a token opens: an SDK token an environment of some projects, an admin token everything. */
export interface ApiTokenScope {
  kind: ApiTokenKind;
  /** Null for an admin token. */
  environment: string | null;
  /** `['*']` is every project, those to come included. */
  projects: string[];
}

/** A token of SDKs or scripts as stored; its secret is not. */
export interface StoredApiToken extends ApiTokenScope {
  id: number;
  name: string;
  selector: string;
  createdAt: Date;
  seenAt: Date | null;
  expiresAt: Date | null;
}

/** What a caller asks for. */
export interface ApiTokenOrder {
  type: ApiTokenType;
  tokenName?: string | undefined;
  username?: string | undefined;
  environment?: string | undefined;
  project?: string | undefined;
  projects?: string[] | undefined;
}

/** The permission that each kind asks for. Admin tokens open everything, so they are for those who may do everything. */
const permissionsOf: Record<'READ' | 'CREATE' | 'UPDATE' | 'DELETE', Record<ApiTokenKind, Permission>> = {
  READ: { client: 'READ_CLIENT_API_TOKEN', frontend: 'READ_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  CREATE: { client: 'CREATE_CLIENT_API_TOKEN', frontend: 'CREATE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  UPDATE: { client: 'UPDATE_CLIENT_API_TOKEN', frontend: 'UPDATE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  DELETE: { client: 'DELETE_CLIENT_API_TOKEN', frontend: 'DELETE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
};

/** The kind that a caller means. */
export function kindOf(type: ApiTokenType): ApiTokenKind {
  return type === 'backend' ? 'client' : type;
}

/** What the actor must hold to do this with a token of this kind. */
export function permissionFor(act: keyof typeof permissionsOf, kind: ApiTokenKind): Permission {
  return permissionsOf[act][kind];
}

/** The kinds that the actor may read. */
export function readableKinds(actor: Actor): ApiTokenKind[] {
  return (['client', 'frontend', 'admin'] as const).filter((kind) => can(actor, permissionFor('READ', kind)));
}

/**
 * Name and scope of the token that is asked for, or `bad-data` naming the property and the value:
 *   client, frontend: one environment (`development` unless given) of the projects that `project` or `projects` names, every one unless
 *                     given; `*` among others is every one
 *   admin:            everything, so neither environment nor projects but `*`
 */
export function decideApiToken(order: ApiTokenOrder): { name: string; scope: ApiTokenScope } {
  const name = order.tokenName ?? order.username;
  if (name === undefined) throw refusal('tokenName', 'is required', undefined);
  if (order.project !== undefined && order.projects !== undefined) {
    throw refusal('project', 'cannot be given together with .projects', order.project);
  }
  if (order.projects?.length === 0) throw refusal('projects', 'should name a project, or be absent for all', []);
  const named = order.projects ?? [order.project ?? '*'];
  const projects = named.includes('*') ? ['*'] : [...new Set(named)];
  if (order.type === 'admin') {
    if (order.environment !== undefined && order.environment !== '*') {
      throw refusal('environment', 'should be *, or absent, for an admin token', order.environment);
    }
    if (!projects.includes('*')) throw refusal('projects', 'should be *, or absent, for an admin token', named);
    return { name, scope: { kind: 'admin', environment: null, projects } };
  }
  const environment = order.environment ?? 'development';
  if (environment === '*') throw refusal('environment', 'should be one environment for an SDK token', environment);
  return { name, scope: { kind: kindOf(order.type), environment, projects } };
}

/** The same of a token of one project, which is always an SDK's. */
export function decideProjectApiToken(
  projectId: string,
  order: Omit<ApiTokenOrder, 'project' | 'projects'>,
): { name: string; scope: ApiTokenScope } {
  if (order.type === 'admin') throw refusal('type', 'should be one of client, backend, frontend', order.type);
  return decideApiToken({ ...order, projects: [projectId] });
}

/** Throws `bad-data` naming the projects and environments that are not there. */
export function refusePlaces(missing: { projects: readonly string[]; environments: readonly string[] }): void {
  const [environment] = missing.environments;
  if (environment !== undefined) throw refusal('environment', 'should name an environment that exists', environment);
  const [first, ...more] = missing.projects;
  if (first === undefined) return;
  throw refusal('projects', 'should name projects that exist', more.length > 0 ? missing.projects : first);
}

/** Throws `limit-exceeded` unless one more token is allowed. */
export function requireRoomForApiToken(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError('limit-exceeded', `There are already ${count} API tokens; there can be at most ${limit}.`);
}

/** Throws `bad-data` unless the token reads this project and no other. */
export function requireOwnToken(token: ApiTokenScope, projectId: string): void {
  const [project, ...others] = token.projects;
  if (token.kind !== 'admin' && project === projectId && others.length === 0) return;
  throw new AppError(
    'bad-data',
    `This token is not of the project ${redactValue(projectId, ['projectId'])} alone, so it cannot be deleted there.`,
  );
}

/** `not-found` of a token of a project; what was sent may be a secret, so it is not repeated. */
export function apiTokenNotFound(projectId: string): AppError {
  return new AppError('not-found', `Could not find this token in the project with ID ${redactValue(projectId, [])}.`);
}

/** All of a token before its tail: `default:development.`, `[]:development.` of several projects, `*:*.` of an admin token. */
export function prefixOf({ environment, projects }: ApiTokenScope): string {
  return `${projects.length === 1 ? projects[0] : '[]'}:${environment ?? '*'}.`;
}

/** The wire shape. The secret is known only where it was just made; elsewhere the token is shown up to its selector. */
export function toApiToken(stored: StoredApiToken, secret?: string): ApiToken {
  return {
    secret: secret ?? redactToken(prefixOf(stored), stored.selector),
    tokenName: stored.name,
    type: stored.kind,
    environment: stored.environment ?? '*',
    project: stored.projects.join(','),
    projects: stored.projects,
    expiresAt: stored.expiresAt?.toISOString() ?? null,
    createdAt: stored.createdAt.toISOString(),
    seenAt: stored.seenAt?.toISOString() ?? null,
    alias: null,
  };
}

/** What an event says of a token. */
export function apiTokenEventData(stored: StoredApiToken): Record<string, unknown> {
  const { secret: _, seenAt: __, ...shown } = toApiToken(stored);
  return { id: stored.id, ...shown };
}

/** Where an event about a token belongs: its environment, and its project when it has one and no more; and what puts it in order. */
export function apiTokenPlace(stored: StoredApiToken): {
  environment: string | null;
  project: string | null;
  orderingKey: string;
} {
  const [project = '*', ...others] = stored.projects;
  const isOfOne = project !== '*' && others.length === 0;
  return { environment: stored.environment, project: isOfOne ? project : null, orderingKey: `api-token:${stored.id}` };
}

function refusal(property: string, rule: string, sent: unknown): AppError {
  return new AppError('bad-data', `The .${property} property ${rule}. You sent ${redactValue(sent, [])}.`);
}
