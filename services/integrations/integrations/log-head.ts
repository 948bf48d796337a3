import type { Bus, RequestContext } from '@yardarm/shared/bus';
import { readHead } from '@yardarm/shared/contracts/events';

/**
 * The id of the newest event in the log: an integration that begins now gets what is recorded after it. Asked before a transaction, never in
 * one; when the log does not answer the integration is not begun.
 */
export async function logHead(bus: Bus, context: RequestContext): Promise<number> {
  const { id } = await bus.request(readHead, {}, context);
  return id;
}
