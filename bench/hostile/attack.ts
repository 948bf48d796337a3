import { fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineEnvironment } from '../options.ts';
import type { Yardarm } from '../system/yardarm.ts';
import type { Plan, Report } from './attackers/plan.ts';
import type { Target } from './target.ts';

/** What a caller without administrator's rights can do to a gateway, as fast as it can. */
export interface Attack {
  name: string;
  /** For the usage. */
  title: string;
  /** As an administrator, stores what the attack needs, before anything is measured. */
  prepare?(yardarm: Yardarm): Promise<void>;
  plan(target: Target): Plan | Promise<Plan>;
}

/** Until the attack has begun. One that is refused does not reach the number of its connections. */
const beginMs = 5_000;

/** Begins an attack in a process of its own. The result ends it, and throws when the process has ended by itself. */
export async function beginAttack(plan: Plan): Promise<() => Report> {
  const child = fork(path.join(import.meta.dirname, 'attackers/main.ts'), { env: machineEnvironment() });
  let report: Report | undefined;
  child.on('message', (message) => {
    report = message as Report;
  });
  child.send(plan);
  const endsAt = performance.now() + beginMs;
  while ((report?.open ?? 0) < plan.connections / 2 && child.exitCode === null && performance.now() < endsAt)
    await sleep(100);
  return () => {
    if (child.exitCode !== null || !report) throw new Error('the process of the attack has ended');
    child.kill();
    return report;
  };
}
