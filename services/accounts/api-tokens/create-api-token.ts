import { makeToken, requirePermission } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ApiToken, CreatedApiToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import { decideExpiry } from '../tokens/token.ts';
import {
  type ApiTokenRequest,
  type ApiTokenScope,
  apiTokenEventData,
  apiTokenPlace,
  decideApiToken,
  decideProjectApiToken,
  kindOf,
  permissionFor,
  prefixOf,
  requireBelowApiTokenLimit,
  toApiToken,
} from './api-token.ts';
import { insertApiToken, lockAndCountApiTokens } from './api-tokens.repo.ts';
import { requirePlaces } from './require-places.ts';

type Expiring<T> = T & { expiresAt?: string | null | undefined };

/** Creates an API token, if the caller may create one of its kind. */
export async function createApiToken(
  resources: AccountsResources,
  request: Expiring<ApiTokenRequest>,
  context: RequestContext,
): Promise<CreatedApiToken> {
  const { actor } = eventOrigin(context);
  requirePermission(actor, permissionFor('CREATE', kindOf(request.type)));
  const { name, scope } = decideApiToken(request);
  await requirePlaces(resources.bus, scope, context);
  const made = await issueApiToken(resources, { name, scope, expiresAt: request.expiresAt }, context);
  return { ...made, type: request.type };
}

export async function createProjectApiToken(
  resources: AccountsResources,
  { projectId, ...request }: Expiring<Omit<ApiTokenRequest, 'project' | 'projects'>> & { projectId: string },
  context: RequestContext,
): Promise<CreatedApiToken> {
  await requireProject(resources.bus, projectId, context);
  const { name, scope } = decideProjectApiToken(projectId, request);
  await requirePlaces(resources.bus, scope, context);
  const made = await issueApiToken(resources, { name, scope, expiresAt: request.expiresAt }, context);
  return { ...made, type: request.type };
}

/** Only the answer contains the secret. Concurrent requests do not exceed the limit. */
async function issueApiToken(
  { db, config }: AccountsResources,
  { name, scope, expiresAt }: Expiring<{ name: string; scope: ApiTokenScope }>,
  context: RequestContext,
): Promise<ApiToken> {
  const expiry = expiresAt == null ? null : decideExpiry(expiresAt, new Date());
  const { token: secret, selector, hash } = makeToken(prefixOf(scope));
  return db.transaction(async (trx) => {
    requireBelowApiTokenLimit(await lockAndCountApiTokens(trx), config.UNLEASH_API_TOKENS_LIMIT);
    const stored = await insertApiToken(trx, { name, scope, expiresAt: expiry, selector, hash });
    appendEvent(trx, {
      type: 'api-token-created',
      data: apiTokenEventData(stored),
      ...apiTokenPlace(stored),
      ...eventOrigin(context),
    });
    return toApiToken(stored, secret);
  });
}
