import { setTimeout as sleep } from 'node:timers/promises';
import { tailOf } from '../servers/log-file.ts';
import { publicAddress } from './addresses.ts';
import type { SupervisedService } from './supervisor.ts';

// A start needs seconds. A minute is enough for a loaded machine and a long recovery.
const readyLimitMs = 60_000;
// What ends by itself, such as the first load of flags, takes a second or two, on a loaded machine some more.
const degradedLimitMs = 15_000;
// After the fifth failure in a row (with 6 s of delays) a service is not going to start.
const maxFailures = 5;

/** What a service lacks. It serves without it, or it does not. */
interface Lack {
  serves: boolean;
  problem: string;
}

async function findLack(address: string): Promise<Lack | undefined> {
  try {
    // The health server waits 2 s for each part.
    const response = await fetch(address, { signal: AbortSignal.timeout(3_000) });
    const body = await response.text();
    const serves = response.status === 200;
    // A gateway that serves SDKs from its copy answers 200, and names what it waits for.
    const degraded = serves ? degradedParts(body) : [];
    if (serves && degraded.length === 0) return undefined;
    return { serves, problem: serves ? degraded.join('; ') : `it answers ${response.status} ${body.slice(0, 300)}` };
  } catch {
    return { serves: false, problem: 'it does not answer' };
  }
}

function degradedParts(body: string): string[] {
  const { parts = {} } = JSON.parse(body) as { parts?: Record<string, { degraded?: string } | null> };
  return Object.values(parts).flatMap((part) => part?.degraded ?? []);
}

/**
 * Waits until nothing is lacking, and for `degradedLimitMs` at most once all services serve. Resolves with a sentence
 * for each service that serves without something, as accounts does with another key than before. Rejects when a
 * service does not serve after `limitMs` or ends again and again.
 */
export async function untilReady(
  services: SupervisedService[],
  healthHost: string,
  gatewayAddress: string,
  signal: AbortSignal,
  limitMs = readyLimitMs,
): Promise<string[]> {
  const until = Date.now() + limitMs;
  let servesSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const answers = await Promise.all(
      services.map(async (service) => ({
        service,
        lack: await findLack(`${publicAddress(healthHost, service.healthPort ?? 0)}/ready`),
      })),
    );
    const lacking = answers.flatMap(({ service, lack }) => (lack === undefined ? [] : [{ service, ...lack }]));
    const away = lacking.filter(({ serves }) => !serves);
    const outside = away.length === 0 ? await findLack(`${gatewayAddress}/ready`) : undefined;
    const serves = away.length === 0 && outside?.serves !== false;
    if (serves && lacking.length === 0) return [];
    servesSince = serves ? (servesSince ?? Date.now()) : undefined;
    if (servesSince !== undefined && Date.now() - servesSince > degradedLimitMs)
      return lacking.map(({ service, problem }) => `${service.spec.name} is degraded: ${problem}`);
    const hasFailed = away.some(({ service }) => service.failures >= maxFailures);
    if (!serves && (hasFailed || Date.now() > until)) {
      if (away.length === 0)
        throw new Error(`the services run, but the gateway cannot serve on ${gatewayAddress}: ${outside?.problem}`);
      const reasons = away.map(({ service, problem }) => {
        const tail = tailOf(service.spec.logFile);
        return `${service.spec.name} does not come up: ${problem}; the end of ${service.spec.logFile}:\n  ${tail.replaceAll('\n', '\n  ')}`;
      });
      throw new Error(reasons.join('\n'));
    }
    // A start needs seconds and a request a millisecond.
    await sleep(50);
  }
}
