import type { RequestContext } from '@yardarm/shared/bus';
import type { ApiToken } from '@yardarm/shared/contracts/accounts';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import { readableKinds, type StoredApiToken, toApiToken } from './api-token.ts';
import { countApiTokensByEnvironment, findApiTokens, findApiTokensOfProject } from './api-tokens.repo.ts';

type Tokens = Promise<{ tokens: ApiToken[] }>;

/** The tokens of the kinds that the caller may read, oldest first. */
export async function listApiTokens(
  { db }: AccountsResources,
  { tokenName }: { tokenName?: string | undefined },
  { actor }: RequestContext,
): Tokens {
  const kinds = actor ? readableKinds(actor) : [];
  return answerOf(await findApiTokens(db.kysely, { kinds, name: tokenName }));
}

export async function listProjectApiTokens(
  { db, bus }: AccountsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): Tokens {
  await requireProject(bus, projectId, context);
  return answerOf(await findApiTokensOfProject(db.kysely, projectId));
}

export async function countApiTokens(
  { db }: AccountsResources,
  { projectId }: { projectId?: string | undefined },
): Promise<{ counts: Record<string, number> }> {
  const rows = await countApiTokensByEnvironment(db.kysely, projectId);
  return { counts: Object.fromEntries(rows.map(({ environment, count }) => [environment, count])) };
}

function answerOf(stored: readonly StoredApiToken[]) {
  return { tokens: stored.map((token) => toApiToken(token)) };
}
