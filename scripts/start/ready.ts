import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from '../servers/log-file.ts';
import { publicAddress } from './addresses.ts';
import type { SupervisedService } from './supervisor.ts';

// A start needs seconds. A minute is enough for a loaded machine and a long recovery.
const readyLimitMs = 60_000;
// After the fifth failure in a row (with 6 s of delays) a service is not going to start.
const maxFailures = 5;

/** The reason, or undefined for an answer of 200. */
async function findReadyProblem(address: string): Promise<string | undefined> {
  try {
    // The health server waits 2 s for each part.
    const response = await fetch(address, { signal: AbortSignal.timeout(3_000) });
    const body = await response.text();
    // A gateway that serves SDKs from its copy answers 200, and names what it waits for.
    const isWhole = response.status === 200 && !body.includes('"degraded"');
    return isWhole ? undefined : `it answers ${response.status} ${body.slice(0, 300)}`;
  } catch {
    return 'it does not answer';
  }
}

export async function untilReady(
  services: SupervisedService[],
  healthHost: string,
  gatewayAddress: string,
  signal: AbortSignal,
  limitMs = readyLimitMs,
): Promise<void> {
  const until = Date.now() + limitMs;
  for (;;) {
    signal.throwIfAborted();
    const answers = await Promise.all(
      services.map(async (service) => ({
        service,
        problem: await findReadyProblem(`${publicAddress(healthHost, service.healthPort ?? 0)}/ready`),
      })),
    );
    const missing = answers.filter(({ problem }) => problem !== undefined);
    const outside = missing.length === 0 ? await findReadyProblem(`${gatewayAddress}/ready`) : undefined;
    if (missing.length === 0 && outside === undefined) return;
    const hasFailed = missing.some(({ service }) => service.failures >= maxFailures);
    if (hasFailed || Date.now() > until) {
      if (missing.length === 0)
        throw new Error(`the services run, but the gateway cannot serve on ${gatewayAddress}: ${outside}`);
      const reasons = missing.map(({ service, problem }) => {
        const tail = tailOf(service.spec.logFile);
        return `${service.spec.name} does not come up: ${problem}; the end of ${service.spec.logFile}:\n  ${tail.replaceAll('\n', '\n  ')}`;
      });
      throw new Error(reasons.join('\n'));
    }
    // A start needs seconds and a request a millisecond.
    await sleep(50);
  }
}
