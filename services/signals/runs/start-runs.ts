import { beginning, handledIn } from '@yardarm/shared/bus';
import { runAsLeader } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import { onScrape } from '@yardarm/shared/telemetry';
import { pause, WakeUp } from '@yardarm/shared/waiting';
import { oldestRunSeconds, readerLag, unfinishedRuns } from '../metrics.ts';
import type { StepOptions } from './execute-step.ts';
import { executeRuns } from './executor.ts';
import { findPosition, listEndpointsToRun } from './positions.repo.ts';
import { type RunReader, readSignals, subjectOf } from './reader.ts';
import { findUnfinished } from './runs.repo.ts';
import { findNextStep } from './steps.repo.ts';

/**
 * For the endpoints of a replica that ended, and for sets that another replica enabled and does not run. However late a
 * reader starts, it begins at the position of the moment when the set was enabled.
 */
const pollMs = 1_000;

/** How soon processAll looks again; a step takes about as long. */
const recheckMs = 20;

export interface RunsOptions extends StepOptions {
  /** Woken when this process has enabled a set, whose endpoint it then runs at once. */
  setEnabled: WakeUp;
}

export interface Runs {
  /**
   * Resolves when all signals are taken and no step is due. Runs that wait for a retry or for the end of maintenance
   * mode remain.
   */
  processAll(): Promise<void>;
  stop(): Promise<void>;
}

interface EndpointRuns {
  /** Null while another replica holds the lease. */
  reader: RunReader | null;
  /** Lets the executor look for a step that has become due. */
  wake(): void;
  stop(): Promise<void>;
}

/**
 * Takes the signals of each endpoint with an enabled set, and executes their runs, in the replica that holds the lease
 * `runs-<endpoint id>`. An endpoint with unfinished runs keeps its lease until they are finished.
 */
export function startRuns({ setEnabled, ...options }: RunsOptions): Runs {
  const { db, bus, log, isPaused } = options;
  const endpoints = new Map<number, EndpointRuns>();
  const stopping = new AbortController();
  const stops = new Set<Promise<void>>();

  async function poll(): Promise<void> {
    const ids = new Set(await listEndpointsToRun(db.kysely));
    if (stopping.signal.aborted) return;
    for (const id of ids) if (!endpoints.has(id)) endpoints.set(id, runEndpoint(options, id));
    for (const [id, endpoint] of endpoints) {
      if (ids.has(id)) continue;
      endpoints.delete(id);
      const stop = endpoint.stop().finally(() => stops.delete(stop));
      stops.add(stop);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await poll().catch((error: unknown) =>
        log.warn({ err: coerceError(error) }, 'cannot find the endpoints with action sets; the next poll tries again'),
      );
      await setEnabled.wait(pollMs, stopping.signal);
    }
  }

  async function isIdle(): Promise<boolean> {
    for (const id of await listEndpointsToRun(db.kysely)) {
      const position = (await findPosition(db.kysely, id)) ?? beginning;
      const last = await bus.lastSequence('SIGNALS', subjectOf(id));
      if (last > handledIn(position, await bus.streamInfo('SIGNALS'))) return false;
      if (!isPaused() && (await findNextStep(db.kysely, id))?.waitMs === 0) return false;
    }
    return true;
  }

  const stopMeasuring = onScrape('runs', async () => {
    const { count, oldestSeconds } = await findUnfinished(db.kysely);
    unfinishedRuns.set(count);
    oldestRunSeconds.set(oldestSeconds);
    const readers = [...endpoints.values()].flatMap(({ reader }) => reader ?? []);
    const lags = await Promise.all(readers.map(({ reading }) => reading.lag()));
    readerLag.set(lags.reduce((sum, lag) => sum + lag, 0));
  });

  const running = run();
  return {
    async processAll() {
      // Else the endpoint of a new set would wait for the next poll, and a step that an operator made due as well.
      await poll().catch(() => undefined);
      while (!stopping.signal.aborted && !(await isIdle().catch(() => false))) {
        for (const endpoint of endpoints.values()) endpoint.wake();
        await pause(recheckMs);
      }
    },
    async stop() {
      stopMeasuring();
      stopping.abort();
      await running;
      await Promise.all([...stops, ...[...endpoints.values()].map((endpoint) => endpoint.stop())]);
    },
  };
}

function runEndpoint(options: StepOptions, endpointId: number): EndpointRuns {
  const { db, log } = options;
  const wakeUp = new WakeUp();
  const endpoint: EndpointRuns = { reader: null, wake: () => wakeUp.wake(), stop: () => leader.stop() };
  const leader = runAsLeader({ db, name: `runs-${endpointId}`, log }, async (leadership) => {
    const reader = readSignals({ ...options, endpointId, onRuns: () => wakeUp.wake() }, leadership);
    endpoint.reader = reader;
    await executeRuns({ ...options, endpointId, wakeUp, onFinished: reader.wake }, leadership);
    endpoint.reader = null;
    await reader.reading.stop();
  });
  return endpoint;
}
