import { OutgoingFailed } from './outgoing-errors.ts';

export interface Timeouts {
  /** To a connection that can be written to: name, TCP and TLS. */
  connectMs: number;
  /** From there to the answer's headers. */
  headersMs: number;
  /** The whole call, body included. */
  wholeMs: number;
}

/**
 * Standard Webhooks asks senders to wait 15 to 30 seconds: an endpoint has 15 to answer, and 20 in all bound what a slow one
 * costs. A connection that takes more than 5 (a SYN sent three times) will hardly come.
 */
const defaults: Timeouts = { connectMs: 5_000, headersMs: 15_000, wholeMs: 20_000 };

export interface Clock {
  /** Aborts with an OutgoingFailed that says which time ran out, or that the caller gave up. */
  signal: AbortSignal;
  connected: () => void;
  answered: () => void;
  /** What the promise gives, or the end of the clock if that comes first: for work that knows no signal. */
  orEnd<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/**
 *   connecting -> waiting -> reading
 *
 * connecting: no connection yet, the connect time runs. waiting: connected, the headers' time runs. reading: the answer's
 * headers are there. The whole time runs in all three; whichever ends first aborts the signal.
 */
export function startClock(given: Partial<Timeouts> = {}, callers?: AbortSignal): Clock {
  const { connectMs, headersMs, wholeMs } = { ...defaults, ...given };
  const controller = new AbortController();
  const after = (milliseconds: number, what: string) =>
    setTimeout(
      () => controller.abort(new OutgoingFailed('timeout', `${what} within ${milliseconds} ms`)),
      milliseconds,
    );
  const giveUp = () => controller.abort(new OutgoingFailed('aborted', 'the caller gave up'));

  const whole = after(wholeMs, 'not finished');
  let phase = after(connectMs, 'no connection');
  if (callers?.aborted) giveUp();
  callers?.addEventListener('abort', giveUp, { once: true });

  return {
    signal: controller.signal,
    connected() {
      clearTimeout(phase);
      phase = after(headersMs, 'no answer');
    },
    answered: () => clearTimeout(phase),
    orEnd(work) {
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
      callers?.removeEventListener('abort', giveUp);
    },
  };
}
