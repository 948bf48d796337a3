// Shared by rows 5 to 5e: PATCHes per second, which count only if all events and webhooks arrive soon after.

import { type Counting, startWork, type Work } from '../counting/work.ts';
import { runLoad } from '../load/load.ts';
import { startReceiver } from '../load/receiver.ts';
import type { Bench } from '../row.ts';
import { type Api, patchEventType } from '../system/api.ts';
import { type CpuByPart, startCpuByPart } from '../system/cpu-by-part.ts';
import { flagNames } from '../system/flags.ts';
import { countLogged, drain } from './draining.ts';

/** From the goal. */
export const connections = 16;
const warmupSeconds = 5;
const seconds = 60;

const types = [patchEventType];

export interface Patched {
  perSecond: number;
  /** Empty when everything arrived in time, else a description of what was missing. */
  missing: string;
  /** Milliseconds of CPU time per change until everything has arrived. Empty on other systems than Linux. */
  cpuMs: CpuByPart;
  /** With `--statements`. */
  work: Work | undefined;
}

/** A product that takes changes. */
export interface Patchable {
  url: string;
  adminToken: string;
  api: Api;
  counting: Counting | undefined;
  services?(): Map<string, number>;
}

/** Measures the answered PATCHes of 1,000 flags per second, without a check of what is missing after the end. */
export async function patch(bench: Bench, server: Patchable): Promise<Patched> {
  const endWork = server.counting && (await startWork(server.counting));
  const endCpu = startCpuByPart();
  const { count, warmupCount, seconds: took } = await load(bench, server);
  const cpuMs = perChange(endCpu(), count + warmupCount);
  return { perSecond: count / took, missing: '', cpuMs, work: await endWork?.(count + warmupCount) };
}

/** The same with webhooks that get every event, and with a check of what is missing after the end. */
export async function patchAndDrain(bench: Bench, server: Patchable, webhooks = 1): Promise<Patched> {
  const { api } = server;
  const receiver = await startReceiver();
  try {
    const ids: number[] = [];
    for (let n = 0; n < webhooks; n += 1) ids.push(await api.makeWebhook(`${receiver.url}/${n}`));
    const before = await countLogged(api, types);
    const endWork = server.counting && (await startWork(server.counting));
    const resume = stopServices(bench, server);
    const endCpu = startCpuByPart();
    const { count, warmupCount, seconds: took } = await load(bench, server);
    const cpuOfLoad = endCpu();
    resume();
    const missing = await drain(api, { types, before, changes: count, receiver, webhooks });
    const cpuMs = perChange(bench.stopped.length > 0 ? cpuOfLoad : endCpu(), count + warmupCount);
    const work = await endWork?.(count + warmupCount);
    for (const id of ids) await api.call('DELETE', `/api/admin/addons/${id}`);
    return { perSecond: count / took, missing, cpuMs, work };
  } finally {
    await receiver.stop();
  }
}

/** Lets the services of `--stop` stand still until the result is called. */
function stopServices({ stopped }: Bench, { services }: Patchable): () => void {
  const pids = stopped.flatMap((name) => services?.().get(name) ?? []);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

function perChange(cpu: CpuByPart, changes: number): CpuByPart {
  return new Map([...cpu].map(([part, ms]) => [part, ms / changes]));
}

function load(bench: Bench, { url, adminToken: token }: Patchable) {
  return runLoad({
    ...{ kind: 'patches', url: `${url}/api/admin/projects/default/features`, token, flags: flagNames },
    ...{ connections, warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
  });
}
