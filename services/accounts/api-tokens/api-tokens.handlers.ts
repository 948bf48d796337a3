import { type RequestContext, splitIntoPieces } from '@yardarm/shared/bus';
import type { ApiToken } from '@yardarm/shared/contracts/accounts';
import { requireProject } from '../project-access/require-project.ts';
import type { AccountsResources } from '../resources.ts';
import { readableKinds, type StoredApiToken, toApiToken } from './api-token.ts';
import { countApiTokensByEnvironment, findApiTokens, findApiTokensOfProject } from './api-tokens.repo.ts';

type Pieces = AsyncGenerator<{ tokens: ApiToken[] }>;

/** The tokens of the kinds that the caller may read, oldest first. */
export async function* listApiTokens(
  { db }: AccountsResources,
  { tokenName }: { tokenName?: string | undefined },
  { actor }: RequestContext,
): Pieces {
  const kinds = actor ? readableKinds(actor) : [];
  yield* piecesOf(await findApiTokens(db.kysely, { kinds, name: tokenName }));
}

export async function* listProjectApiTokens(
  { db, bus }: AccountsResources,
  { projectId }: { projectId: string },
  context: RequestContext,
): Pieces {
  await requireProject(bus, projectId, context);
  yield* piecesOf(await findApiTokensOfProject(db.kysely, projectId));
}

export async function countApiTokens(
  { db }: AccountsResources,
  { projectId }: { projectId?: string | undefined },
): Promise<{ counts: Record<string, number> }> {
  const rows = await countApiTokensByEnvironment(db.kysely, projectId);
  return { counts: Object.fromEntries(rows.map(({ environment, count }) => [environment, count])) };
}

function* piecesOf(stored: readonly StoredApiToken[]) {
  for (const tokens of splitIntoPieces(stored.map((token) => toApiToken(token)))) yield { tokens };
}
