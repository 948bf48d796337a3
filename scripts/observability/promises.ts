import type { ServiceName } from '@yardarm/shared/contracts';

/** A promise to users, and the part of requests or of time in which it was broken. */
export interface ServiceLevel {
  /** The name in alerts: `Yardarm<name>Fast` and `Yardarm<name>Slow`. */
  name: string;
  /** The name in recording rules: `yardarm:<record>:ratio5m`. */
  record: string;
  /** The service whose runbook begins the search. */
  service: ServiceName;
  /** What users notice, for the summary of the alert. */
  broken: string;
  /** The expression of the ratio over a window such as `5m`, from 0 to 1. */
  ratio(window: string): string;
  /** For a promise about time: 1 while it is broken, else 0. It is recorded, and `ratio` is its average. */
  isBroken?: string;
}

/**
 * 99.9 %: 43 minutes in 30 days. An upgrade, a restart of Postgres or NATS and the crash of a replica cost seconds
 * each. An installation with other promises changes this and runs `npm run contracts`.
 */
export const objective = 0.999;

/** Work is late after a minute: a lease is taken over within 5 s, and a restart of a service takes less than 20 s. */
const lateSeconds = 60;

/** Two seconds of the work of the recorder or of the consumers at their measured rates (docs/benchmarks.md). */
export const manyMessages = 10_000;

const requests = (selector: string, window: string) =>
  `sum(rate(yardarm_http_request_seconds_count{${selector}}[${window}]))`;

/** The part of requests that were answered with 5xx. */
const failed = (selector: string) => (window: string) =>
  `${requests(`${selector},status=~"5.."`, window)} / ${requests(selector, window)}`;

/** 1 while one of the conditions holds. One whose gauge has no value does not hold. */
const anyOf = (...conditions: string[]) =>
  `clamp_max(${conditions.map((condition) => `(${condition} or vector(0))`).join(' + ')}, 1)`;

function late(record: string, isBroken: string): Pick<ServiceLevel, 'record' | 'ratio' | 'isBroken'> {
  return { record, isBroken, ratio: (window) => `avg_over_time(yardarm:${record}:bool[${window}])` };
}

/** The paths of SDKs, as the label has them (docs/operating.md, route groups). */
export const sdkPaths = 'path=~"/(api/client|api/frontend|ofrep|edge)(/.*)?"';
export const writePaths = 'path=~"/(api/admin|auth)/.*",method!="get"';
export const signalPaths = 'path=~"/api/signal-endpoint/.*",method="post"';

export const serviceLevels: readonly ServiceLevel[] = [
  {
    name: 'SdkReads',
    record: 'sdk_read_errors',
    service: 'gateway',
    broken: 'SDKs get 5xx instead of flags',
    ratio: failed(sdkPaths),
  },
  {
    name: 'Writes',
    record: 'write_errors',
    service: 'gateway',
    broken: 'changes of administrators get 5xx',
    ratio: failed(writePaths),
  },
  {
    name: 'SignalsAccepted',
    record: 'signal_errors',
    service: 'gateway',
    broken: 'senders of signals get 5xx',
    ratio: failed(signalPaths),
  },
  {
    name: 'LogLate',
    service: 'events',
    broken: `committed events are not in the log after ${lateSeconds} s`,
    ...late(
      'log_late',
      anyOf(
        `max(yardarm_outbox_oldest_seconds) > bool ${lateSeconds}`,
        `max(yardarm_events_recorder_lag_messages) > bool ${manyMessages}`,
      ),
    ),
  },
  {
    name: 'DeliveriesLate',
    service: 'integrations',
    broken: `webhooks are not sent ${lateSeconds} s after they are due`,
    ...late(
      'deliveries_late',
      anyOf(
        `max(yardarm_integrations_overdue_seconds) > bool ${lateSeconds}`,
        `max(yardarm_integrations_intake_lag_events) > bool ${manyMessages}`,
      ),
    ),
  },
  {
    name: 'SignalsLate',
    service: 'signals',
    broken: `accepted signals are not stored, or their runs are not finished after ${lateSeconds} s`,
    ...late(
      'signals_late',
      anyOf(
        `max(yardarm_signals_store_lag_messages) > bool ${manyMessages}`,
        `max(yardarm_signals_oldest_run_seconds) > bool ${lateSeconds}`,
      ),
    ),
  },
];
