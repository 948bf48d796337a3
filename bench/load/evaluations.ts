import { compileFlags, type FlagDefinition } from '@yardarm/evaluation';
import { flagNames, strategyOf } from '../system/flags.ts';
import type { Evaluations } from './jobs.ts';

/** What an application asks: whether the flag is on, and its variant. */
type Evaluate = (name: string, context: { userId: string; properties: { country: string } }, now: number) => boolean;

/** The flags of the other rows, without their segments. */
const features: FlagDefinition[] = flagNames.map((name) => ({ name, enabled: true, strategies: [strategyOf(name)] }));

/** Evaluations of one flag per second of CPU time. Each user gets every flag once. Throws if the share on is wrong. */
export async function countEvaluations({ by, warmupSeconds, seconds }: Evaluations): Promise<number> {
  const { evaluate, stop } = by === 'yardarm' ? startYardarm() : await startUnleashClient();
  evaluateFor(evaluate, warmupSeconds);
  const { evaluations, on, cpuSeconds } = evaluateFor(evaluate, seconds);
  stop();
  const share = on / evaluations;
  // Half of the users are in the rollout. A run has more than 100,000 evaluations.
  if (Math.abs(share - 0.5) > 0.02) throw new Error(`${by} has ${share} of its flags on, but half should be`);
  return evaluations / cpuSeconds;
}

function evaluateFor(evaluate: Evaluate, seconds: number) {
  let users = 0;
  let on = 0;
  const cpuBefore = process.cpuUsage();
  const endsAt = performance.now() + 1000 * seconds;
  while (performance.now() < endsAt) {
    users += 1;
    const context = { userId: `user-${users}`, properties: { country: 'no' } };
    const now = Date.now();
    for (const name of flagNames) {
      if (evaluate(name, context, now)) on += 1;
    }
  }
  // In microseconds, of all threads: with the collection of garbage.
  const { user, system } = process.cpuUsage(cpuBefore);
  return { evaluations: users * flagNames.length, on, cpuSeconds: (user + system) / 1_000_000 };
}

function startYardarm() {
  const flags = compileFlags({ features });
  const evaluate: Evaluate = (name, context, now) => flags.evaluate(name, context, now).variant.enabled;
  return { evaluate, stop: () => {} };
}

async function startUnleashClient() {
  // The other jobs' processes have no use for the SDK.
  const { InMemStorageProvider, Unleash } = await import('unleash-client');
  const unleash = new Unleash({
    ...{ appName: 'bench', url: 'http://127.0.0.1:1/api/', disableMetrics: true, refreshInterval: 0 },
    ...{ storageProvider: new InMemStorageProvider(), skipInstanceCountWarning: true },
    bootstrap: { data: features as never },
  });
  // Nothing answers at the URL; the SDK evaluates what it was given.
  unleash.on('error', () => {});
  unleash.on('warn', () => {});
  await new Promise((resolve) => unleash.once('ready', resolve));
  const evaluate: Evaluate = (name, context) => unleash.getVariant(name, context).enabled;
  return { evaluate, stop: () => unleash.destroy() };
}
