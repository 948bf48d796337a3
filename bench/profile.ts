import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

/** The functions after these use less than a percent each. */
const maxFunctions = 12;

/** The service of a profile: the one whose files have the most functions. The launcher has none. */
function serviceOf(profile: CpuProfile): string | undefined {
  const counts = new Map<string, number>();
  for (const { callFrame } of profile.nodes) {
    const service = /\/services\/([^/]+)\//.exec(callFrame.url)?.[1];
    if (service) counts.set(service, (counts.get(service) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

/** The functions with the most CPU time of each service, from the profiles in a folder. */
export function summaryOf(folder: string): string {
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as CpuProfile)
    .flatMap((profile) => {
      const service = serviceOf(profile);
      return service === undefined ? [] : [`${service}\n${selfTimes(profile)}`];
    });
  return `CPU by function, without what it calls (profiles: ${folder})\n\n${parts.join('\n\n')}`;
}

function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const times = new Map<string, number>();
  for (const [n, id] of samples.entries()) {
    const name = names.get(id)!;
    times.set(name, (times.get(name) ?? 0) + (timeDeltas[n] ?? 0));
  }
  times.delete('(idle)');
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxFunctions)
    .map(([name, time]) => `  ${((100 * time) / busy).toFixed(1).padStart(5)} %  ${name}`)
    .join('\n');
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName || '(anonymous)';
  const place = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/(packages|services|scripts)\//, '$1/');
  return `${functionName || '(anonymous)'} ${place}:${lineNumber + 1}`;
}
