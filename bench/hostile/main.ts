// `npm run test:hostile`: callers use a gateway, first alone and then beside each attack of somebody without an
// administrator's rights. Prints what the attack cost them, and exits with 1 when a goal is missed.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { guard } from '../../scripts/servers/guard.ts';
import { makeFlags } from '../system/flags.ts';
import { healthUrlOf } from '../system/health.ts';
import { proportionalSize } from '../system/memory.ts';
import { startYardarm, type Yardarm } from '../system/yardarm.ts';
import { type Attack, beginAttack } from './attack.ts';
import { attacksOf } from './attacks/index.ts';
import { type Bystanders, closeBystanders, openBystanders, watch } from './bystanders.ts';
import { makeTarget, type Target } from './target.ts';
import { verdictsOf } from './verdicts.ts';

/** Compiles the code of the requests. */
const warmupSeconds = 5;
/** From the goal: until the gateway has given memory back. */
const afterSeconds = 60;
/** Beside the connections of an attack: those of the others, of NATS, of health, and open files. */
const otherFiles = 200;

interface Options {
  seconds: number;
  connections: number;
  attacks: Attack[];
}

/** Reads the command line; null when the usage is asked for. Throws when it is invalid. */
function readOptions(): Options | null {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '30' },
      connections: { type: 'string', default: '2000' },
      attack: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [seconds, connections] = [Number(values.seconds), Number(values.connections)];
  const all = attacksOf(connections);
  const width = Math.max(...all.map(({ name }) => name.length));
  const usage = `Usage: npm run test:hostile [-- options]
  --seconds 30        how long each attack takes; half as long without it before, and a minute after it
  --connections 2000  how many slow connections there are at once, of six kinds
  --attack <name>     one attack; default: one after the other
  --help              print this text

Attacks:
${all.map(({ name, title }) => `  ${name.padEnd(width)}  ${title}`).join('\n')}`;
  if (values.help) {
    console.log(usage);
    return null;
  }
  const attacks = all.filter(({ name }) => values.attack === undefined || name === values.attack);
  if (!(seconds >= 1 && Number.isInteger(connections) && connections >= 1 && attacks.length > 0))
    throw new Error(usage);
  return { seconds, connections, attacks };
}

function requireFiles(connections: number): void {
  // Node has raised the soft limit to the hard one at its start, and child processes inherit it.
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  const needed = connections + otherFiles;
  if (limit !== undefined && Number(limit) < needed)
    throw new Error(`${connections} connections need ${needed} open files, the limit is ${limit}: raise ulimit -Hn`);
}

/** A token of one project, whose listings have no flags of other projects. */
async function makeSdkToken({ api }: Yardarm): Promise<string> {
  const body = { type: 'client', tokenName: 'bystander', environment: 'development', projects: ['default'] };
  return (await api.call<{ secret: string }>('POST', '/api/admin/api-tokens', body)).secret;
}

/** The gateway's own figures of what it refused or stopped, as lines of /metrics. */
async function metricsOf(pid: number): Promise<string[]> {
  const text = await (await fetch(`${healthUrlOf(pid)}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => /^yardarm_gateway_(connections|evaluations|sdk_streams|token_checks)/.test(line));
}

/** Whether all goals hold. */
async function measure(attack: Attack, target: Target, bystanders: Bystanders, seconds: number): Promise<boolean> {
  const { pid } = bystanders;
  const plan = await attack.plan(target);
  requireFiles(plan.connections);
  await watch(bystanders, warmupSeconds);
  const alone = await watch(bystanders, seconds / 2);
  const before = proportionalSize(pid);
  const end = await beginAttack(plan);
  const beside = await watch(bystanders, seconds);
  const metrics = await metricsOf(pid);
  const { counts } = end();
  await watch(bystanders, afterSeconds);
  const verdicts = verdictsOf(alone, beside, { before, after: proportionalSize(pid) });

  console.log(
    `${Object.entries(counts)
      .map(([kind, n]) => `${n} ${kind}`)
      .join(', ')} in ${seconds} s`,
  );
  for (const line of metrics) console.log(line);
  for (const { text, holds } of verdicts) console.log(`${text}: ${holds ? 'holds' : 'MISSED'}`);
  return verdicts.every(({ holds }) => holds);
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options === null) return;
  requireFiles(options.connections);
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-hostile-'));
  // For root, Postgres runs as another user, who needs access to its data in this folder.
  chmodSync(folder, 0o711);
  // Removes the folder when this program is killed, after the servers have stopped.
  const remover = guard('sleep 10; rm -rf "$1"', folder);
  const yardarm = await startYardarm(folder, { profiles: undefined, settings: {} });
  try {
    const pid = yardarm.services().get('gateway');
    if (pid === undefined) throw new Error('the memory of a process is measured on Linux only');
    await makeFlags(yardarm.api, { isPlain: false });
    const target = await makeTarget(yardarm);
    const callers = { yardarm, pid, sdkToken: await makeSdkToken(yardarm) };
    for (const attack of options.attacks) {
      console.log(`\n${attack.name}: ${attack.title} ...`);
      await attack.prepare?.(yardarm);
      const bystanders = await openBystanders(callers);
      const holds = await measure(attack, target, bystanders, options.seconds).finally(() =>
        closeBystanders(bystanders),
      );
      if (!holds) process.exitCode = 1;
    }
  } finally {
    await yardarm.stop();
    rmSync(folder, { recursive: true, force: true });
    remover.release();
  }
}

try {
  await main();
} catch (error) {
  console.error(`not measured: ${(error as Error).message}`);
  process.exitCode = 1;
}
