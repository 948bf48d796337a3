import type { BusOptions } from './bus-options.ts';
import { dial, dialProblem, loginOf } from './dial.ts';
import type { Inboxes } from './inboxes.ts';

/** An ordinary restart of a server is over before. */
const everyMs = 10_000;

/**
 * The client reconnects by itself and does not say why it cannot. States:
 *
 *   connected  There is no problem.
 *   away       `everyMs` after the loss and then as often, an attempt of our own finds the reason. It is logged when it
 *              is another one than before.
 */
export function watchOutages(options: BusOptions, inboxes: Inboxes) {
  let timer: NodeJS.Timeout | undefined;
  let problem: string | null = null;

  async function findReason(): Promise<void> {
    const before = problem;
    try {
      const connection = await dial(options, inboxes, loginOf(options));
      await connection.close();
    } catch (error) {
      // The client may have reconnected meanwhile.
      if (timer === undefined) return;
      problem = dialProblem(error);
      if (problem !== before) options.log.warn({ reason: problem }, 'still no connection to NATS');
    }
  }

  return {
    problem: () => problem,
    begin(): void {
      timer ??= setInterval(() => void findReason(), everyMs).unref();
    },
    end(): void {
      clearInterval(timer);
      timer = undefined;
      problem = null;
    },
  };
}
