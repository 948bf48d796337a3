import { type Bus, type RequestContext, requestBeforeChange } from '@yardarm/shared/bus';
import { readHead } from '@yardarm/shared/contracts/events';

/**
 * The id of the newest event in the log; an integration that begins now receives later events. Never called in a
 * transaction. If the log does not answer, the integration does not begin.
 */
export async function fetchLogHead(bus: Bus, context: RequestContext): Promise<number> {
  const { id } = await requestBeforeChange(context, (inner) => bus.request(readHead, {}, inner));
  return id;
}
