import { makeToken, requirePermission } from '@yardarm/shared/auth';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ApiToken, MadeApiToken } from '@yardarm/shared/contracts/accounts';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import { decideExpiry } from '../tokens/token.ts';
import {
  type ApiTokenOrder,
  type ApiTokenScope,
  apiTokenEventData,
  apiTokenPlace,
  decideApiToken,
  decideProjectApiToken,
  kindOf,
  permissionFor,
  prefixOf,
  requireRoomForApiToken,
  toApiToken,
} from './api-token.ts';
import { countApiTokensAlone, insertApiToken } from './api-tokens.repo.ts';
import { requirePlaces } from './require-places.ts';

type Expiring<Order> = Order & { expiresAt?: string | null | undefined };

/** Makes an API token, when the caller may make one of its kind. */
export async function createApiToken(
  resources: AccountsResources,
  order: Expiring<ApiTokenOrder>,
  context: RequestContext,
): Promise<MadeApiToken> {
  const { actor } = eventOrigin(context);
  requirePermission(actor, permissionFor('CREATE', kindOf(order.type)));
  const { name, scope } = decideApiToken(order);
  await requirePlaces(resources.bus, scope, context);
  const made = await issueApiToken(resources, { name, scope, expiresAt: order.expiresAt }, context);
  return { ...made, type: order.type };
}

/** Makes an SDK token of one project. */
export async function createProjectApiToken(
  resources: AccountsResources,
  { projectId, ...order }: Expiring<Omit<ApiTokenOrder, 'project' | 'projects'>> & { projectId: string },
  context: RequestContext,
): Promise<MadeApiToken> {
  await requireProject(resources.bus, projectId, context);
  const { name, scope } = decideProjectApiToken(projectId, order);
  await requirePlaces(resources.bus, scope, context);
  const made = await issueApiToken(resources, { name, scope, expiresAt: order.expiresAt }, context);
  return { ...made, type: order.type };
}

/** The answer is the one place where the secret ever stands. Of many at once no more are made than the limit lets. */
async function issueApiToken(
  { db, config }: AccountsResources,
  { name, scope, expiresAt }: Expiring<{ name: string; scope: ApiTokenScope }>,
  context: RequestContext,
): Promise<ApiToken> {
  const end = expiresAt == null ? null : decideExpiry(expiresAt, new Date());
  const { token: secret, selector, hash } = makeToken(prefixOf(scope));
  return db.transaction(async (trx) => {
    requireRoomForApiToken(await countApiTokensAlone(trx), config.UNLEASH_API_TOKENS_LIMIT);
    const stored = await insertApiToken(trx, { name, scope, expiresAt: end, selector, hash });
    appendEvent(trx, {
      type: 'api-token-created',
      data: apiTokenEventData(stored),
      ...apiTokenPlace(stored),
      ...eventOrigin(context),
    });
    return toApiToken(stored, secret);
  });
}
