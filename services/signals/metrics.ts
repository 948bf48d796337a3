import { Counter, metrics, ScrapedGauge } from '@yardarm/shared/telemetry';

const registers = [metrics];

export const deadLetterCount = new Counter({
  name: 'yardarm_signals_dead_letters_total',
  help: 'Messages of SIGNALS that are no signals and are kept in signals_set_aside',
  registers,
});

export const storedCount = new Counter({
  name: 'yardarm_signals_stored_total',
  help: 'Signals that this process stored',
  registers,
});

export const storeLag = new ScrapedGauge({
  name: 'yardarm_signals_store_lag_messages',
  help: 'Messages of SIGNALS that are not stored yet, over all replicas',
});

export const finishedRuns = new Counter({
  name: 'yardarm_signals_runs_total',
  help: 'Runs of action sets that this process finished, by state: success or failed',
  labelNames: ['state'],
  registers,
});

export const retriedSteps = new Counter({
  name: 'yardarm_signals_step_retries_total',
  help: 'Attempts of steps in this process without an answer, which are to be retried',
  registers,
});

export const unfinishedRuns = new ScrapedGauge({
  name: 'yardarm_signals_unfinished_runs',
  help: 'Runs of action sets that are waiting or started, over all replicas',
});

export const oldestRunSeconds = new ScrapedGauge({
  name: 'yardarm_signals_oldest_run_seconds',
  help: 'Age of the oldest unfinished run, over all replicas; 0 without one',
});

export const readerLag = new ScrapedGauge({
  name: 'yardarm_signals_reader_lag_messages',
  help: 'Messages of SIGNALS that wait for the readers of this process',
});

const admissions = new Counter({
  name: 'yardarm_signals_admissions_total',
  help: 'Admissions that gateways got, including those of blocks that they did not use',
  registers,
});

const refusals = new Counter({
  name: 'yardarm_signals_refusals_total',
  help: 'Requests of gateways that got no admission, because the rate of the endpoint was used up',
  registers,
});

/** Counts the answer to a request for admissions. */
export function countAdmissions(granted: number): void {
  if (granted > 0) admissions.inc(granted);
  else refusals.inc();
}
