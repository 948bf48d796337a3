// Shared by rows 5 to 5f: a rate of changes counts only if the log and the webhooks have everything soon after the end.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Receiver } from '../load/receiver.ts';
import type { Api } from '../system/api.ts';

/** From the goal: the time for outboxes, log and deliveries to drain after the end. */
const drainLimitMs = 5_000;
/** The limit of the drain. The bench waits for it, so that a slow run does not overlap with the next. */
const timeoutMs = 10 * 60_000;
/** More than the poll interval of the relay. */
const pauseMs = 500;

/** The number of events of these types in the log. */
export async function countLogged(api: Api, types: readonly string[]): Promise<number> {
  const totals = await Promise.all(types.map(async (type) => (await api.search({ type, limit: 1 })).totalEvents));
  return totals.reduce((sum, total) => sum + total, 0);
}

export interface Expected {
  types: readonly string[];
  /** The number of such events before the load. */
  before: number;
  changes: number;
  /** What gets the events of so many webhooks. */
  receiver?: Receiver;
  webhooks: number;
}

/**
 * Waits until the log has an event for every change and each webhook a request for every such event. Returns what was
 * missing after the goal's five seconds. The log is complete when a second count, after more than the relay's poll
 * interval, equals the first.
 */
export async function drain(api: Api, { types, before, changes, receiver, webhooks }: Expected): Promise<string> {
  const startedAt = Date.now();
  const count = async () => (await countLogged(api, types)) - before;
  let missing = '';
  for (;;) {
    const logged = await count();
    const received = (await receiver?.count()) ?? 0;
    await sleep(pauseMs);
    const isComplete = logged >= changes && logged === (await count()) && received >= logged * webhooks;
    const tookMs = Date.now() - startedAt;
    if (isComplete) return missing && `${missing}; complete after ${Math.round(tookMs / 1_000)} s`;
    if (missing === '' && tookMs > drainLimitMs) {
      const lacking = { log: Math.max(0, changes - logged), webhook: Math.max(0, logged * webhooks - received) };
      const webhook = webhooks > 0 ? ` and the webhook ${lacking.webhook}` : '';
      missing = `after ${drainLimitMs / 1_000} s the log lacked ${lacking.log} of ${changes}${webhook}`;
    }
    if (tookMs > timeoutMs) throw new Error(`${missing}, and the drain did not end`);
  }
}
