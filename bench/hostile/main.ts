// `npm run test:hostile`: an SDK polls a gateway, first alone and then beside each attack: thousands of hostile
// connections, costly evaluations, and guessed tokens. Prints what these cost, and exits with 1 when a goal is missed.
import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { guard } from '../../scripts/servers/guard.ts';
import { openListing } from '../load/listing-reader.ts';
import { percentile } from '../measurement.ts';
import { machineEnvironment } from '../options.ts';
import { makeFlags } from '../system/flags.ts';
import { healthUrlOf } from '../system/health.ts';
import { proportionalSize } from '../system/memory.ts';
import { startYardarm, type Yardarm } from '../system/yardarm.ts';
import type { Plan, Report } from './attack.ts';
import type { EvaluationPlan } from './attack-evaluations.ts';
import type { GuessPlan } from './attack-tokens.ts';

const usage = `Usage: npm run test:hostile [-- options]
  --seconds 120       how long each attack takes; half as long without it before
  --connections 2000  how many there are at once, of six kinds
  --attack <name>     connections, evaluations or tokens; default: one after the other
  --help              print this text`;

/** From the goal. */
const maxGrowthMegabytes = 100;
const maxRatio = 5;

/** As 375 SDKs that poll every 15 s. Each poll is answered with the whole listing of 1,000 flags. */
const pollsPerSecond = 25;
/** Compiles the code of the polls. */
const warmupSeconds = 5;

/** More than a gateway evaluates at once. */
const evaluatingConnections = 32;

/** They guess more than a thousand tokens a second, one or a hundred in a request. */
const guessingConnections = 4;

/** Beside the hostile connections: those of the SDK, of NATS, of health, and open files. */
const otherFiles = 200;

interface Polled {
  milliseconds: number[];
  maxMegabytes: number;
}

function requireFiles(connections: number): void {
  // Node has raised the soft limit to the hard one at its start, and child processes inherit it.
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  const needed = connections + otherFiles;
  if (limit !== undefined && Number(limit) < needed)
    throw new Error(`${connections} connections need ${needed} open files, the limit is ${limit}: raise ulimit -Hn`);
}

/** Polls at fixed times, so that slow answers do not reduce the number of polls, and reads the gateway's memory. */
async function poll({ url, sdkToken }: Yardarm, pid: number, seconds: number): Promise<Polled> {
  const reader = openListing(url, sdkToken);
  const polled: Polled = { milliseconds: [], maxMegabytes: 0 };
  const startedAt = performance.now();
  for (let n = 0; n < seconds * pollsPerSecond; n += 1) {
    const dueAt = startedAt + (n * 1_000) / pollsPerSecond;
    await sleep(Math.max(0, dueAt - performance.now()));
    const { status } = await reader.read('');
    if (status !== 200) throw new Error(`the listing was answered with ${status}`);
    polled.milliseconds.push(performance.now() - dueAt);
    if (n % pollsPerSecond === 0) polled.maxMegabytes = Math.max(polled.maxMegabytes, proportionalSize(pid));
  }
  reader.close();
  return polled;
}

/** Begins the attack of a file. The result ends it, and throws when its process has ended by itself. */
async function attack(file: string, plan: Plan | EvaluationPlan | GuessPlan): Promise<() => Report> {
  const child = fork(path.join(import.meta.dirname, file), { env: machineEnvironment() });
  let report: Report | undefined;
  child.on('message', (message) => {
    report = message as Report;
  });
  child.send(plan);
  while ((report?.open ?? 0) < plan.connections / 2 && child.exitCode === null) await sleep(100);
  return () => {
    if (child.exitCode !== null || !report) throw new Error('the process of the hostile connections has ended');
    child.kill();
    return report;
  };
}

/** The gateway's own figures of its connections, evaluations and checks of tokens, as lines of /metrics. */
async function metricsOf(pid: number): Promise<string[]> {
  const text = await (await fetch(`${healthUrlOf(pid)}/metrics`)).text();
  return text.split('\n').filter((line) => /^yardarm_gateway_(connections|evaluations|token_checks)/.test(line));
}

/** As many constraints as a strategy can have. Inverted ones are all evaluated, until one has a match. */
const constraintsPerStrategy = 30;

/** The flags that a member of one project makes: the costliest that the admin API accepts. */
async function makeCostlyFlags({ api }: Yardarm): Promise<void> {
  const path = '/api/admin/projects/default/features';
  const constraints = Array.from({ length: constraintsPerStrategy }, (_, index) => {
    const value = `a(?:[ab][ab]){${490 - index}}[cd]`;
    return { contextName: 'userId', operator: 'REGEX', value, inverted: true };
  });
  for (let index = 0; index < 10; index += 1) {
    const name = `costly-${index}`;
    await api.call('POST', path, { name });
    const place = `${path}/${name}/environments/development`;
    await api.call('POST', `${place}/strategies`, { name: 'default', constraints });
    await api.call('POST', `${place}/on`);
  }
}

async function measure(yardarm: Yardarm, seconds: number, begin: () => Promise<() => Report>): Promise<boolean> {
  const pid = yardarm.services().get('gateway');
  if (pid === undefined) throw new Error('the memory of a process is measured on Linux only');
  await poll(yardarm, pid, warmupSeconds);
  const alone = await poll(yardarm, pid, seconds / 2);
  const before = proportionalSize(pid);
  const end = await begin();
  const beside = await poll(yardarm, pid, seconds);
  const metrics = await metricsOf(pid);
  const { opened } = end();

  const growth = beside.maxMegabytes - before;
  const [p99Alone, p99Beside] = [percentile(alone.milliseconds, 99), percentile(beside.milliseconds, 99)];
  const ratio = p99Beside / p99Alone;
  console.log(
    `\nin ${seconds} s: ${Object.entries(opened)
      .map(([kind, n]) => `${n} ${kind}`)
      .join(', ')}`,
  );
  for (const line of metrics) console.log(line);
  const isSmall = growth <= maxGrowthMegabytes;
  const isFast = ratio <= maxRatio;
  console.log(`
memory of the gateway: ${before.toFixed(0)} MB alone, at most ${beside.maxMegabytes.toFixed(0)} MB beside them: ${growth.toFixed(0)} MB more, goal <= ${maxGrowthMegabytes}: ${isSmall ? 'holds' : 'MISSED'}
p99 of the SDK's polls: ${p99Alone.toFixed(1)} ms alone, ${p99Beside.toFixed(1)} ms beside them: ${ratio.toFixed(1)} times, goal <= ${maxRatio}: ${isFast ? 'holds' : 'MISSED'}`);
  return isSmall && isFast;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '120' },
      connections: { type: 'string', default: '2000' },
      attack: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(usage);
  const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
  if (!(seconds >= 1 && Number.isInteger(connections) && connections >= 1)) throw new Error(usage);
  requireFiles(connections);
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-hostile-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  // Removes the folder when this program is killed, after the servers have stopped.
  const watch = guard('sleep 10; rm -rf "$1"', folder);
  const yardarm = await startYardarm(folder, { profiles: undefined, settings: {} });
  try {
    await makeFlags(yardarm.api, { isPlain: false });
    const { url, frontendToken } = yardarm;
    const attacks: Record<string, () => Promise<() => Report>> = {
      connections: () => attack('attack.ts', { url, connections }),
      async evaluations() {
        await makeCostlyFlags(yardarm);
        return await attack('attack-evaluations.ts', { url, frontendToken, connections: evaluatingConnections });
      },
      tokens: () => attack('attack-tokens.ts', { url, connections: guessingConnections }),
    };
    for (const [name, begin] of Object.entries(attacks)) {
      if (values.attack !== undefined && values.attack !== name) continue;
      if (!(await measure(yardarm, seconds, begin))) process.exitCode = 1;
    }
  } finally {
    await yardarm.stop();
    rmSync(folder, { recursive: true, force: true });
    watch.release();
  }
}

try {
  await main();
} catch (error) {
  console.error(`not measured: ${(error as Error).message}`);
  process.exitCode = 1;
}
