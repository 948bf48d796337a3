import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from '../servers/log-file.ts';
import type { SupervisedService } from './supervisor.ts';

// A start takes seconds; a minute covers a loaded machine and a long recovery, and ends the waiting of a script.
const readyLimitMs = 60_000;
// By the fifth end in a row (6 s of waiting between) it is not going to start.
const hopelessAfterFailures = 5;

/** Undefined when it answers 200, else why not. */
async function whyNotReady(address: string): Promise<string | undefined> {
  try {
    // The health server itself gives up on a part after 2 s.
    const response = await fetch(address, { signal: AbortSignal.timeout(3_000) });
    const body = await response.text();
    return response.status === 200 ? undefined : `it answers ${response.status} ${body.slice(0, 300)}`;
  } catch {
    return 'it does not answer';
  }
}

/** Waits until every service, and then the gateway's public address, answers 200 to GET /ready. */
export async function untilReady(
  services: SupervisedService[],
  publicAddress: string,
  signal: AbortSignal,
  limitMs = readyLimitMs,
): Promise<void> {
  const until = Date.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const answers = await Promise.all(
      services.map(async (service) => ({
        service,
        why: await whyNotReady(`http://127.0.0.1:${service.healthPort}/ready`),
      })),
    );
    const missing = answers.filter(({ why }) => why !== undefined);
    const outside = missing.length === 0 ? await whyNotReady(`${publicAddress}/ready`) : undefined;
    if (missing.length === 0 && outside === undefined) return;
    const isHopeless = missing.some(({ service }) => service.failures >= hopelessAfterFailures);
    if (isHopeless || Date.now() > until) {
      if (missing.length === 0)
        throw new Error(`the services run, but the gateway cannot serve on ${publicAddress}: ${outside}`);
      const words = missing.map(({ service, why }) => {
        const tail = tailOf(service.spec.logFile);
        return `${service.spec.name} does not come up: ${why}; the end of ${service.spec.logFile}:\n  ${tail.replaceAll('\n', '\n  ')}`;
      });
      throw new Error(words.join('\n'));
    }
    // Short beside the seconds that a start takes, long beside the millisecond that the question costs.
    await sleep(50);
  }
}
