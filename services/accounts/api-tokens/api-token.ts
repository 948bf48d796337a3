import { can, redactToken } from '@yardarm/shared/auth';
import type { Actor, Permission } from '@yardarm/shared/contracts';
import type { ApiToken, CreatedApiToken } from '@yardarm/shared/contracts/accounts';
import type { Sealed } from '@yardarm/shared/encryption';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { projectNotFound } from '../project-access/project-access.ts';

export type ApiTokenKind = ApiToken['type'];

/** The kind as callers name it: a client token has two names. */
export type ApiTokenType = CreatedApiToken['type'];

/** What a token gives access to: an SDK token one environment of some projects, an admin token everything. */
export interface ApiTokenScope {
  kind: ApiTokenKind;
  /** The environment that the token reads; null for an admin token. */
  environment: string | null;
  /** `['*']` is every project, future ones included. */
  projects: string[];
}

export interface StoredApiToken extends ApiTokenScope {
  id: number;
  name: string;
  selector: string;
  /** The encrypted secret; null where only the hash is stored. */
  sealed: Sealed | null;
  createdAt: Date;
  seenAt: Date | null;
  expiresAt: Date | null;
}

export interface ApiTokenRequest {
  type: ApiTokenType;
  tokenName?: string | undefined;
  username?: string | undefined;
  environment?: string | undefined;
  project?: string | undefined;
  projects?: string[] | undefined;
}

/** The permission that each kind requires. Admin tokens give access to everything, so they require ADMIN. */
const permissionsOf: Record<'READ' | 'CREATE' | 'UPDATE' | 'DELETE', Record<ApiTokenKind, Permission>> = {
  READ: { client: 'READ_CLIENT_API_TOKEN', frontend: 'READ_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  CREATE: { client: 'CREATE_CLIENT_API_TOKEN', frontend: 'CREATE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  UPDATE: { client: 'UPDATE_CLIENT_API_TOKEN', frontend: 'UPDATE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
  DELETE: { client: 'DELETE_CLIENT_API_TOKEN', frontend: 'DELETE_FRONTEND_API_TOKEN', admin: 'ADMIN' },
};

export function kindOf(type: ApiTokenType): ApiTokenKind {
  return type === 'backend' ? 'client' : type;
}

export function permissionFor(act: keyof typeof permissionsOf, kind: ApiTokenKind): Permission {
  return permissionsOf[act][kind];
}

export function readableKinds(actor: Actor): ApiTokenKind[] {
  return (['client', 'frontend', 'admin'] as const).filter((kind) => can(actor, permissionFor('READ', kind)));
}

/**
 * Whether the actor may read the secrets of these tokens: who may read and create tokens of the kind, or tokens in each
 * project that the token names. So a list gives no access that the actor could not create.
 */
export function mayReadSecret(actor: Actor, { kind, projects }: ApiTokenScope): boolean {
  if (can(actor, permissionFor('READ', kind)) && can(actor, permissionFor('CREATE', kind))) return true;
  const mayIn = (project: string) =>
    can(actor, 'READ_PROJECT_API_TOKEN', { project }) && can(actor, 'CREATE_PROJECT_API_TOKEN', { project });
  return projects.every((project) => project !== '*' && mayIn(project));
}

/**
 * The name and scope of a requested token. Throws `bad-data` with the property and the value.
 *   client, frontend: one environment (default `development`) and the projects of `project` or `projects`
 *                     (default all); `*` among them means all
 *   admin:            everything, so environment and projects are absent or `*`
 */
export function decideApiToken(request: ApiTokenRequest): { name: string; scope: ApiTokenScope } {
  const name = request.tokenName ?? request.username;
  if (name === undefined) throw refusal('tokenName', 'is required', undefined);
  if (request.project !== undefined && request.projects !== undefined) {
    throw refusal('project', 'cannot be given together with .projects', request.project);
  }
  if (request.projects?.length === 0) throw refusal('projects', 'should name a project, or be absent for all', []);
  const named = request.projects ?? [request.project ?? '*'];
  const projects = named.includes('*') ? ['*'] : [...new Set(named)];
  if (request.type === 'admin') {
    if (request.environment !== undefined && request.environment !== '*') {
      throw refusal('environment', 'should be *, or absent, for an admin token', request.environment);
    }
    if (!projects.includes('*')) throw refusal('projects', 'should be *, or absent, for an admin token', named);
    return { name, scope: { kind: 'admin', environment: null, projects } };
  }
  const environment = request.environment ?? 'development';
  if (environment === '*') throw refusal('environment', 'should be one environment for an SDK token', environment);
  return { name, scope: { kind: kindOf(request.type), environment, projects } };
}

/**
 * The same for a token of one project, which is always an SDK token. The id `*` is that of no project; in a scope it
 * would mean all of them.
 */
export function decideProjectApiToken(
  projectId: string,
  request: Omit<ApiTokenRequest, 'project' | 'projects'>,
): { name: string; scope: ApiTokenScope } {
  if (projectId === '*') throw projectNotFound(projectId);
  if (request.type === 'admin') throw refusal('type', 'should be one of client, backend, frontend', request.type);
  return decideApiToken({ ...request, projects: [projectId] });
}

export function refusePlaces(missing: { projects: readonly string[]; environments: readonly string[] }): void {
  const [environment] = missing.environments;
  if (environment !== undefined) throw refusal('environment', 'should name an environment that exists', environment);
  const [first, ...more] = missing.projects;
  if (first === undefined) return;
  throw refusal('projects', 'should name projects that exist', more.length > 0 ? missing.projects : first);
}

export function requireBelowApiTokenLimit(count: number, limit: number): void {
  if (count < limit) return;
  throw new AppError('limit-exceeded', `There are already ${count} API tokens; there can be at most ${limit}.`);
}

/** Throws `bad-data` unless the token belongs to this project and no other. */
export function requireOwnToken(token: ApiTokenScope, projectId: string): void {
  const [project, ...others] = token.projects;
  if (token.kind !== 'admin' && project === projectId && others.length === 0) return;
  throw new AppError(
    'bad-data',
    `This token is not of the project ${redactValue(projectId, ['projectId'])} alone, so it cannot be deleted there.`,
  );
}

/** The message does not repeat what was sent, since it may be a secret. */
export function apiTokenNotFound(projectId: string): AppError {
  return new AppError('not-found', `Could not find this token in the project with ID ${redactValue(projectId, [])}.`);
}

/** The prefix of a token: `default:development.`, `[]:development.` of several projects, `*:*.` of an admin token. */
export function prefixOf({ environment, projects }: ApiTokenScope): string {
  return `${projects.length === 1 ? projects[0] : '[]'}:${environment ?? '*'}.`;
}

/**
 * The answer with a token, whole or without its secret. Without it the token is shown up to its selector. `secure` says
 * that no later answer will have the secret.
 */
export function toApiToken(
  stored: Omit<StoredApiToken, 'sealed'>,
  { secret, secure = secret === undefined }: { secret?: string | undefined; secure?: boolean } = {},
): ApiToken {
  return {
    secret: secret ?? redactToken(prefixOf(stored), stored.selector),
    secure,
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

type TokenOfEvent = Omit<StoredApiToken, 'sealed'>;

export function apiTokenEventData(stored: TokenOfEvent): Record<string, unknown> {
  const { secret: _, secure: __, seenAt: ___, ...data } = toApiToken(stored);
  return { id: stored.id, ...data };
}

/** Properties of events about a token. The project is null unless the token has exactly one. */
export function apiTokenPlace(stored: TokenOfEvent): {
  environment: string | null;
  project: string | null;
  orderingKey: string;
} {
  const [project = '*', ...others] = stored.projects;
  const isSingleProject = project !== '*' && others.length === 0;
  return {
    environment: stored.environment,
    project: isSingleProject ? project : null,
    orderingKey: `api-token:${stored.id}`,
  };
}

function refusal(property: string, rule: string, sent: unknown): AppError {
  return new AppError('bad-data', `The .${property} property ${rule}. You sent ${redactValue(sent, [])}.`);
}
