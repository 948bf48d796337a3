import type { RequestContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import type { ApiToken } from '@yardarm/shared/contracts/accounts';
import { requireProject } from '../project-access/require-project.ts';
import type { ReadableSecrets } from '../readable-secrets/readable-secrets.ts';
import type { AccountsResources } from '../resources.ts';
import { mayReadSecret, readableKinds, type StoredApiToken, toApiToken } from './api-token.ts';
import { countApiTokensByEnvironment, findApiTokens, findApiTokensOfProject } from './api-tokens.repo.ts';

type Tokens = Promise<{ tokens: ApiToken[] }>;

/** The tokens of the kinds that the caller may read, oldest first. */
export async function listApiTokens(
  { db, secrets }: AccountsResources,
  { tokenName }: { tokenName?: string | undefined },
  { actor }: RequestContext,
): Tokens {
  const kinds = actor ? readableKinds(actor) : [];
  return answerOf(await findApiTokens(db.kysely, { kinds, name: tokenName }), secrets, actor);
}

export async function listProjectApiTokens(
  { db, bus, secrets }: AccountsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): Tokens {
  await requireProject(bus, projectId, context);
  return answerOf(await findApiTokensOfProject(db.kysely, projectId), secrets, context.actor);
}

export async function countApiTokens(
  { db }: AccountsResources,
  { projectId }: { projectId?: string | undefined },
): Promise<{ counts: Record<string, number> }> {
  const rows = await countApiTokensByEnvironment(db.kysely, projectId);
  return { counts: Object.fromEntries(rows.map(({ environment, count }) => [environment, count])) };
}

/** The secret is in the answer if it is readable, the actor may read it, and the token has not expired. */
function answerOf(stored: readonly StoredApiToken[], secrets: ReadableSecrets, actor: Actor | null) {
  const now = new Date();
  const secretOf = (token: StoredApiToken) => {
    const isValid = token.expiresAt === null || token.expiresAt > now;
    return isValid && actor !== null && mayReadSecret(actor, token) ? (secrets.open(token) ?? undefined) : undefined;
  };
  return { tokens: stored.map((token) => toApiToken(token, { secret: secretOf(token) })) };
}
