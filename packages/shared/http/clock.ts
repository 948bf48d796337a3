import { OutgoingFailed } from './outgoing-errors.ts';

export interface Timeouts {
  /** The time for the connection: its name, TCP and TLS. */
  connectMs: number;
  /** From the connection to the headers of the answer. */
  headersMs: number;
  wholeMs: number;
}

/**
 * Standard Webhooks asks senders to wait 15 to 30 s. An endpoint has 15 s to answer, and 20 s in all limit the cost of
 * a slow one. A connection that takes more than 5 s (a SYN sent three times) rarely succeeds.
 */
const defaults: Timeouts = { connectMs: 5_000, headersMs: 15_000, wholeMs: 20_000 };

export interface Clock {
  /** Aborts with an OutgoingFailed that names the timeout, or says that the caller gave up. */
  signal: AbortSignal;
  connected: () => void;
  answered: () => void;
  /** Returns the result of work that takes no signal. Rejects when the signal aborts first. */
  race<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * Starts the timeouts of a call. The first one that passes aborts the signal.
 *
 *   connecting -> waiting -> reading
 *
 * connecting: there is no connection yet; `connectMs` runs. waiting: connected; `headersMs` runs. reading: the headers
 * have arrived. `wholeMs` runs in all three states.
 */
export function startClock(timeouts: Partial<Timeouts> = {}, callerSignal?: AbortSignal): Clock {
  const { connectMs, headersMs, wholeMs } = { ...defaults, ...timeouts };
  const controller = new AbortController();
  const startTimer = (milliseconds: number, what: string) =>
    setTimeout(
      () => controller.abort(new OutgoingFailed('timeout', `${what} within ${milliseconds} ms`)),
      milliseconds,
    );
  const abort = () => controller.abort(new OutgoingFailed('aborted', 'the caller gave up'));

  const whole = startTimer(wholeMs, 'not finished');
  let phase = startTimer(connectMs, 'no connection');
  if (callerSignal?.aborted) abort();
  callerSignal?.addEventListener('abort', abort, { once: true });

  return {
    signal: controller.signal,
    connected() {
      clearTimeout(phase);
      phase = startTimer(headersMs, 'no answer');
    },
    answered: () => clearTimeout(phase),
    race(work) {
      return new Promise((resolve, reject) => {
        const end = () => reject(controller.signal.reason);
        if (controller.signal.aborted) return end();
        controller.signal.addEventListener('abort', end, { once: true });
        work.then(resolve, reject).finally(() => controller.signal.removeEventListener('abort', end));
      });
    },
    stop() {
      clearTimeout(whole);
      clearTimeout(phase);
      callerSignal?.removeEventListener('abort', abort);
    },
  };
}
