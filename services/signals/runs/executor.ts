import { type Leadership, LeaseLostError } from '@yardarm/shared/db';
import { coerceError } from '@yardarm/shared/errors';
import { tracer } from '@yardarm/shared/telemetry';
import { backoff, type WakeUp } from '@yardarm/shared/waiting';
import { runStep, type StepOptions } from './execute-step.ts';
import { findNextStep } from './steps.repo.ts';
import { traceStep } from './trace-step.ts';

/** The reader wakes the executor after each run that it inserts. The poll finds rows that an operator changed. */
const pollMs = 1_000;

/** While Postgres is unavailable. Work continues within seconds after the outage. */
const failureMs = { firstMs: 250, maxMs: 2_000 };

/**
 * Executes the runs of one endpoint in one replica, one by one, in the order in which their signals were taken. The
 * rows have the whole state, so that any replica can continue.
 *
 *   run   waiting -> started -> success | failed
 *   step  not started -> started -> success | failed
 *             ^_____________|
 *
 *   waiting      No step of the run was started. Shown as started.
 *   not started  The step has not taken effect. It is called only after `started` is committed. That transaction
 *                checks that the set was not disabled since the signal matched, and locks it. So no step begins after
 *                a set is disabled or deleted, and edits change nothing. A step returns to this state if all its
 *                attempts are known to have done nothing.
 *   started      The step may have taken effect. It is called again until it is answered. flags stores the outcome
 *                under the id of the step, so it takes effect once.
 *   success      The next step may begin. After the last step the run is `success`.
 *   failed       The run is `failed`, and its later steps stay `not started`. A run whose set was disabled fails with
 *                a step that is not started and has the reason.
 *
 * A step that is to be retried delays the later runs of the endpoint, and no other endpoint. The first such attempt
 * sets `retry_until`. The first one after that time ends the run.
 *
 * In maintenance mode steps keep their states. A step that is called as it begins is refused by flags, which has done
 * nothing then, and is retried.
 *
 * Invariants: at most one step of an endpoint is `started`, and all runs with earlier ids are finished. Only the holder
 * of the current lease epoch changes a row. If one of two replicas was paused, both may call one step. Both get the
 * same outcome, and only one of them can store it.
 */
export async function executeRuns(
  options: StepOptions & { endpointId: number; wakeUp: WakeUp; onFinished(): void },
  leadership: Leadership,
): Promise<void> {
  const { db, log, endpointId, wakeUp, isPaused, onFinished } = options;
  let failures = 0;
  while (!leadership.signal.aborted) {
    try {
      if (isPaused()) {
        await wakeUp.wait(pollMs, leadership.signal);
        continue;
      }
      const next = await findNextStep(db.kysely, endpointId);
      const waitMs = next === undefined ? pollMs : Math.min(pollMs, next.waitMs);
      if (next !== undefined && waitMs === 0) {
        if (tracer === null) await runStep(options, leadership, next);
        else await traceStep(tracer, next, (traced) => runStep(options, leadership, traced));
        onFinished();
      }
      failures = 0;
      if (waitMs > 0) await wakeUp.wait(waitMs, leadership.signal);
    } catch (error) {
      if (error instanceof LeaseLostError) return leadership.end();
      failures += 1;
      log[failures === 1 ? 'warn' : 'debug']({ err: coerceError(error), endpointId }, 'a step could not be executed');
      await wakeUp.wait(backoff(failures, failureMs), leadership.signal);
    }
  }
}
