import type { RequestContext } from '@yardarm/shared/bus';
import { signalEndpointChangedHint } from '@yardarm/shared/contracts/signals';
import { appendEvent, eventOrigin } from '@yardarm/shared/db';
import { retireEndpointToken } from '../endpoint-tokens/delete-signal-endpoint-token.ts';
import { findEndpointTokens } from '../endpoint-tokens/endpoint-tokens.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { endpointEventData, endpointNotFound, endpointOrderingKey } from './endpoint.ts';
import { deleteEndpointRow, lockEndpoint } from './endpoints.repo.ts';

/** Deletes an endpoint with its tokens. Its signals stay, and so do the action sets that name it. */
export async function deleteSignalEndpoint(
  { db, bus }: SignalsResources,
  { id }: { id: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await db.transaction(async (trx) => {
    const endpoint = await lockEndpoint(trx, id);
    if (!endpoint) throw endpointNotFound(id);
    for (const token of await findEndpointTokens(trx, id)) retireEndpointToken(trx, bus, token, origin);
    await deleteEndpointRow(trx, id);
    appendEvent(trx, {
      type: 'signal-endpoint-deleted',
      preData: endpointEventData(endpoint),
      orderingKey: endpointOrderingKey(id),
      ...origin,
    });
    trx.onCommit(() => bus.hint(signalEndpointChangedHint, { endpointId: id }));
  });
}
