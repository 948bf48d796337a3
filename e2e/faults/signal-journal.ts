import { eventually } from '@yardarm/testing';
import { longestGapMs } from '@yardarm/testing/cluster-faults';
import type { YardarmServers } from './servers.ts';
import type { Yardarm } from './yardarm.ts';

const pauseMs = 50;

/** Sends signals one after the other and keeps a journal of those that were accepted, until it is stopped. */
export async function startSignals(yardarm: Yardarm<YardarmServers>) {
  const endpoint = await yardarm.call('POST', '/api/admin/signal-endpoints', { name: 'journal', ratePerSecond: 1_000 });
  const path = `/api/admin/signal-endpoints/${endpoint.id}/tokens`;
  const { token } = await yardarm.call('POST', path, { name: 'sender' });
  const accepted: { id: number; at: number }[] = [];
  let sent = 0;
  let isStopped = false;

  async function send(): Promise<void> {
    sent += 1;
    try {
      const answer = await fetch(`${yardarm.url()}/api/signal-endpoint/journal`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sent }),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await answer.text();
      if (answer.status === 200) accepted.push({ id: JSON.parse(text).signals[0].id, at: performance.now() });
    } catch {
      // No answer: it may or may not be stored.
    }
  }
  const running = (async () => {
    while (!isStopped) {
      await send();
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  })();

  const storedIds = async () => {
    const rows = await yardarm.database.rows<{ id: string }>('select id from signals.signals');
    return rows.map(({ id }) => Number(id));
  };
  return {
    accepted,
    async acceptedMore(count: number, limitMs: number): Promise<void> {
      const target = accepted.length + count;
      await eventually(() => {
        if (accepted.length < target) throw new Error(`${target - accepted.length} signals were not accepted`);
      }, limitMs);
    },
    /** The longest time without an accepted signal since then, in milliseconds. */
    longestGapMs: (since: number) =>
      longestGapMs(
        accepted.map(({ at }) => at),
        since,
      ),
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
    /** The ids of signals that were accepted before the call and are not stored, also not within the time. */
    async findMissing(limitMs: number): Promise<number[]> {
      const target = accepted.map(({ id }) => id);
      const missing = async () => {
        const stored = new Set(await storedIds());
        return target.filter((id) => !stored.has(id));
      };
      await eventually(async () => {
        if ((await missing()).length > 0) throw new Error('accepted signals are not stored');
      }, limitMs).catch(() => undefined);
      return missing();
    },
    async countDoubled(): Promise<number> {
      const [row] = await yardarm.database.rows<{ count: string }>(
        'select count(*) - count(distinct payload) as count from signals.signals',
      );
      return Number(row!.count);
    },
  };
}
