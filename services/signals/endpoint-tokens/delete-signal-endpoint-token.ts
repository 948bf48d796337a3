import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { signalTokenChangedHint } from '@yardarm/shared/contracts/signals';
import { appendEvent, type EventOrigin, eventOrigin, type Transaction } from '@yardarm/shared/db';
import type { SignalsTables } from '../db/schema.ts';
import { endpointNotFound, endpointOrderingKey } from '../endpoints/endpoint.ts';
import { lockEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import { type StoredEndpointToken, tokenNotFound, toSignalEndpointToken } from './endpoint-token.ts';
import { deleteEndpointTokenRow, findEndpointToken } from './endpoint-tokens.repo.ts';

export async function deleteSignalEndpointToken(
  { db, bus }: SignalsResources,
  { signalEndpointId, id }: { signalEndpointId: number; id: number },
  context: RequestContext,
): Promise<void> {
  const origin = eventOrigin(context);
  await db.transaction(async (trx) => {
    if (!(await lockEndpoint(trx, signalEndpointId))) throw endpointNotFound(signalEndpointId);
    const token = await findEndpointToken(trx, signalEndpointId, id);
    if (!token) throw tokenNotFound(id, signalEndpointId);
    await deleteEndpointTokenRow(trx, id);
    retireEndpointToken(trx, bus, token, origin);
  });
}

/** Appends the event of a deletion. A hint after the commit makes gateways forget the token. */
export function retireEndpointToken(
  trx: Transaction<SignalsTables>,
  bus: Bus,
  token: StoredEndpointToken,
  origin: EventOrigin,
): void {
  appendEvent(trx, {
    type: 'signal-endpoint-token-deleted',
    preData: { ...toSignalEndpointToken(token) },
    orderingKey: endpointOrderingKey(token.endpointId),
    ...origin,
  });
  trx.onCommit(() => bus.hint(signalTokenChangedHint, { selector: token.selector }));
}
