// What rows 5 and 5b have in common: PATCHes per second, counted only if everything that they owe has arrived soon after.
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load/load.ts';
import { type Receiver, startReceiver } from '../load/receiver.ts';
import type { Bench } from '../row.ts';
import { type Api, patchEventType } from '../system/api.ts';
import { flagNames } from '../system/flags.ts';

const connections = 16;
const warmupSeconds = 5;
const seconds = 60;

/** The goal's: outboxes, log and deliveries are drained that soon after the end. */
const drainLimitMs = 5_000;
/** After which we no longer wait, so that a run that is behind does not run into the next. */
const timeoutMs = 10 * 60_000;

export interface Patched {
  perSecond: number;
  /** Empty when everything arrived in time, else how much was missing. */
  behind: string;
}

interface Patchable {
  url: string;
  adminToken: string;
  api: Api;
}

/** PATCHes of 1,000 flags, answered per second. */
export async function patchesPerSecond(bench: Bench, server: Patchable): Promise<number> {
  const { count, seconds: took } = await load(bench, server);
  return count / took;
}

/** The same, with a webhook that gets the event of each, and with a look at what is behind at the end. */
export async function patchAndDrain(bench: Bench, server: Patchable): Promise<Patched> {
  const { api } = server;
  const receiver = await startReceiver();
  try {
    const webhook = await api.makeWebhook(receiver.url);
    const logged = await patchesLogged(api);
    const { count, seconds: took } = await load(bench, server);
    const behind = await drain(api, receiver, logged, count);
    await api.call('DELETE', `/api/admin/addons/${webhook}`);
    return { perSecond: count / took, behind };
  } finally {
    await receiver.stop();
  }
}

function load(bench: Bench, { url, adminToken: token }: Patchable) {
  return runLoad({
    ...{ kind: 'patches', url: `${url}/api/admin/projects/default/features`, token, flags: flagNames },
    ...{ connections, warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
  });
}

const patchesLogged = async (api: Api) => (await api.search({ type: patchEventType, limit: 1 })).totalEvents;

/**
 * Waits until every PATCH has its event in the log and every such event its webhook; says what was missing after the goal's five
 * seconds. The log is at rest when a second look, after more than a relay's poll, shows no more than the first.
 */
async function drain(api: Api, receiver: Receiver, before: number, patched: number): Promise<string> {
  const startedAt = Date.now();
  let behind = '';
  for (;;) {
    const logged = (await patchesLogged(api)) - before;
    const received = await receiver.count();
    await sleep(500);
    const isAtRest = logged >= patched && logged === (await patchesLogged(api)) - before && received >= logged;
    const tookMs = Date.now() - startedAt;
    if (isAtRest) return behind && `${behind}; all was there after ${Math.round(tookMs / 1_000)} s`;
    if (behind === '' && tookMs > drainLimitMs) {
      const missing = { log: Math.max(0, patched - logged), webhook: Math.max(0, logged - received) };
      behind = `after ${drainLimitMs / 1_000} s the log lacked ${missing.log} of ${patched} and the webhook ${missing.webhook}`;
    }
    if (tookMs > timeoutMs) throw new Error(`${behind}, and it did not end`);
  }
}
