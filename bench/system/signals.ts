import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { connectBench } from './log.ts';
import { openStoredSignals } from './signals.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** More than any gateway of this bench accepts in a second: no sender of the rows is refused. */
export const liftedLimit = 10_000;

/** As many as an installation may have. */
const endpointNames = Array.from({ length: 5 }, (_, n) => `bench-${n + 1}`);

/** A signal endpoint and one token of it. */
export interface Endpoint {
  id: number;
  name: string;
  tokenId: number;
  token: string;
}

type Listed = { id: number; name: string; tokens: { id: number }[] };

/** The five endpoints, each with one new token: only the answer that makes a token has its secret. */
export async function openEndpoints(api: Api): Promise<Endpoint[]> {
  const path = '/api/admin/signal-endpoints';
  const { signalEndpoints } = await api.call<{ signalEndpoints: Listed[] }>('GET', path);
  const endpoints: Endpoint[] = [];
  for (const name of endpointNames) {
    const existing = signalEndpoints.find((endpoint) => endpoint.name === name);
    const { id, tokens } = existing ?? (await api.call<Listed>('POST', path, { name }));
    for (const old of tokens) await api.call('DELETE', `${path}/${id}/tokens/${old.id}`);
    const made = await api.call<{ id: number; token: string }>('POST', `${path}/${id}/tokens`, { name: 'bench' });
    endpoints.push({ id, name, tokenId: made.id, token: made.token });
  }
  return endpoints;
}

/** From the goal: when the consumers have stored everything after the end of the load. */
const lagLimitMs = 10_000;
/** The limit of the drain. The bench waits for it, so that a slow run does not overlap with the next. */
const timeoutMs = 5 * 60_000;
const pollMs = 100;
/** A gateway finishes the requests whose connections the load generator closed at its end. */
const settleMs = 200;

/** The signals between SIGNALS and the database, of one run of the product. */
export interface SignalStore {
  /** How many signals were published since the installation was made. */
  published(): Promise<number>;
  /** Waits until everything published is stored. Returns what was missing after ten seconds, else ''. */
  drain(): Promise<string>;
  drawIds(count: number): Promise<number>;
  close(): Promise<void>;
}

export async function openSignalStore(yardarm: Yardarm): Promise<SignalStore> {
  const bus = await connectBench(yardarm);
  const stored = await openStoredSignals(yardarm.databaseUrl);
  // Nothing else publishes to the stream, and nothing was deleted from it or from the table.
  const published = async () => (await bus.streamInfo('SIGNALS')).lastSequence;
  const lag = async () => (await published()) - (await stored.count());
  return {
    published,
    async drain() {
      let missing = '';
      await sleep(settleMs);
      for (const startedAt = Date.now(); ; await sleep(pollMs)) {
        const waiting = await lag();
        const tookMs = Date.now() - startedAt;
        if (waiting <= 0) return missing && `${missing}, none after ${Math.round(tookMs / 1_000)} s`;
        if (missing === '' && tookMs > lagLimitMs)
          missing = `${waiting} signals were not stored ${lagLimitMs / 1_000} s after the end`;
        if (tookMs > timeoutMs) throw new Error(`${missing}, and ${waiting} ${timeoutMs / 60_000} minutes after it`);
      }
    },
    drawIds: stored.drawIds,
    async close() {
      await stored.close();
      await bus.drain();
    },
  };
}
