// Shared by rows 6, 6b and 13: signals from 64 connections, and a check that all of them are stored soon after.
import { type Counted, type LoadRequest, runLoad } from '../load/load.ts';
import type { Bench } from '../row.ts';
import type { Endpoint } from '../system/signals.ts';

/** From the goal. */
export const connections = 64;
/** Until Node has compiled the hot code and the connections are open. */
export const warmupSeconds = 3;

/** As an alert of Alertmanager: nested objects of labels, 400 bytes. */
const alert = {
  ...{ receiver: 'yardarm', status: 'firing', groupKey: '{}:{alertname="HighErrorRate"}' },
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'HighErrorRate', severity: 'critical', service: 'checkout', flag: 'bench-flag-0001' },
      annotations: { summary: 'More than 5 % of the requests to checkout failed in the last 5 minutes' },
      ...{ startsAt: '2026-01-31T12:00:00Z', value: 0.0731, fingerprint: '6f8d2c1b9a7e4530' },
    },
  ],
};

export const smallBody = JSON.stringify(alert);

/** The same with log lines, up to so many bytes. They differ, so that Postgres compresses them as it does real ones. */
export function bodyOf(bytes: number): string {
  const lines: string[] = [];
  const bodyWith = (log: readonly string[]) => JSON.stringify({ ...alert, log });
  for (let n = 0; bodyWith(lines).length < bytes; n += 1) {
    // Multiplicative hashing (Knuth's constant): digits as scattered as ids and durations are.
    const scattered = Math.imul(n + 1, 2_654_435_761) >>> 0;
    lines.push(`checkout-${scattered % 20} GET /cart/${scattered} 502 upstream ${scattered % 997} ms`);
  }
  return bodyWith(lines.slice(0, -1));
}

/** The measurements of signals in one run. */
export interface SignalLoad {
  endpoint: Endpoint;
  /** Further ones: each connection uses one of all. */
  others?: readonly Endpoint[];
  gateway: string;
  body: string;
  seconds: number;
  connections?: number;
  /** The gateway's process, whose CPU time is measured. */
  pid?: number | undefined;
}

/** Sends signals to a gateway as fast as it answers. Throws when one is not accepted. */
export function sendSignals(bench: Bench, load: SignalLoad): Promise<Counted> {
  const { endpoint, others = [], gateway, body, pid } = load;
  const requestTo = ({ name, token }: Endpoint): LoadRequest => ({
    ...{ url: `${gateway}/api/signal-endpoint/${name}`, method: 'POST', body, status: 200 },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  return runLoad({
    ...{ kind: 'throughput', request: requestTo(endpoint), others: others.map(requestTo) },
    ...{ connections: load.connections ?? connections, warmupSeconds: bench.seconds(warmupSeconds) },
    ...{ seconds: load.seconds, pid },
  });
}
