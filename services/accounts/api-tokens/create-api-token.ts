import { makeToken, requirePermission } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { CreatedApiToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { lockIncarnations } from '../incarnations/incarnations.repo.ts';
import { projectNotFound } from '../project-access/project-access.ts';
import type { AccountsResources } from '../resources.ts';
import { decideExpiry } from '../tokens/token.ts';
import {
  type ApiTokenRequest,
  type ApiTokenScope,
  type ApiTokenType,
  apiTokenEventData,
  apiTokenPlace,
  decideApiToken,
  decideProjectApiToken,
  kindOf,
  mayReadSecret,
  permissionFor,
  prefixOf,
  refusePlaces,
  requireBelowApiTokenLimit,
  toApiToken,
} from './api-token.ts';
import { insertApiToken, lockAndCountApiTokens } from './api-tokens.repo.ts';
import { findPlaces } from './find-places.ts';

type Expiring<T> = T & { expiresAt?: string | null | undefined };
type Refuse = typeof refusePlaces;

/** Creates an API token, if the caller may create one of its kind. */
export async function createApiToken(
  resources: AccountsResources,
  request: Expiring<ApiTokenRequest>,
  context: RequestContext,
): Promise<CreatedApiToken> {
  const { actor } = eventOrigin(context);
  requirePermission(actor, permissionFor('CREATE', kindOf(request.type)));
  return issueApiToken(resources, { ...request, ...decideApiToken(request) }, refusePlaces, context);
}

export async function createProjectApiToken(
  resources: AccountsResources,
  { projectId, ...request }: Expiring<Omit<ApiTokenRequest, 'project' | 'projects'>> & { projectId: string },
  context: RequestContext,
): Promise<CreatedApiToken> {
  const refuse: Refuse = (missing) => {
    if (missing.projects.length > 0) throw projectNotFound(projectId);
    refusePlaces(missing);
  };
  return issueApiToken(resources, { ...request, ...decideProjectApiToken(projectId, request) }, refuse, context);
}

/**
 * The answer contains the secret. Where secrets are readable, it is stored encrypted too. Concurrent requests do not
 * exceed the limit. No token is issued for a project or environment that was deleted after flags was asked.
 */
async function issueApiToken(
  { db, bus, config, secrets }: AccountsResources,
  { type, name, scope, expiresAt }: Expiring<{ type: ApiTokenType; name: string; scope: ApiTokenScope }>,
  refuse: Refuse,
  context: RequestContext,
): Promise<CreatedApiToken> {
  const expiry = expiresAt == null ? null : decideExpiry(expiresAt, new Date());
  const places = await findPlaces(bus, scope, context);
  refuse(places);
  const { token: secret, selector, hash } = makeToken(prefixOf(scope));
  const sealed = secrets.seal({ kind: scope.kind, selector }, secret);
  const origin = eventOrigin(context);
  return db.transaction(async (trx) => {
    requireBelowApiTokenLimit(await lockAndCountApiTokens(trx), config.UNLEASH_API_TOKENS_LIMIT);
    refuse(await lockIncarnations(trx, places.found));
    const stored = await insertApiToken(trx, { name, scope, expiresAt: expiry, selector, hash, sealed });
    appendEvent(trx, {
      type: 'api-token-created',
      data: apiTokenEventData(stored),
      ...apiTokenPlace(stored),
      ...origin,
    });
    const secure = sealed === null || !mayReadSecret(origin.actor, scope);
    return { ...toApiToken(stored, { secret, secure }), type };
  });
}
