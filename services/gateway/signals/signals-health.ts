import type { Bus } from '@yardarm/shared/bus';
import { getSignalsLimits } from '@yardarm/shared/contracts/signals';
import { coerceError } from '@yardarm/shared/errors';
import type { PartHealth } from '@yardarm/shared/service';
import { systemContext } from '../system-context.ts';

/**
 * Whether signals answers, for a gateway that serves nothing else. States:
 *
 *   unknown   -> It was not asked yet. A problem.
 *   answering -> It answered the last request.
 *   away      -> It did not answer the last request. A problem.
 *
 * In every state it is asked again a second after its answer, or after the request has failed, and when NATS is
 * connected.
 */
export interface SignalsHealth {
  health(): PartHealth;
  stop(): void;
}

/** The answer has a hundred bytes, and signals makes it without its database. */
const askEveryMs = 1_000;
/** Signals answers in milliseconds. */
const timeoutMs = 2_000;

export function startSignalsHealth(bus: Bus): SignalsHealth {
  let problem: string | null = 'signals has not answered yet';
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    timer = undefined;
    try {
      await bus.request(getSignalsLimits, {}, systemContext(timeoutMs));
      problem = null;
    } catch (error) {
      problem = `signals does not answer: ${coerceError(error).message}`;
    }
    if (!isStopped) timer = setTimeout(ask, askEveryMs);
  }
  void ask();
  const stopListening = bus.onStatus((isConnected) => {
    // Without a connection the last request has failed at once. Without a timer a request is in flight.
    if (!isConnected || timer === undefined) return;
    clearTimeout(timer);
    void ask();
  });

  return {
    health: () => problem,
    stop() {
      isStopped = true;
      stopListening();
      clearTimeout(timer);
    },
  };
}
