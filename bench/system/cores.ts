import { readFileSync } from 'node:fs';
import { run } from '../../scripts/servers/run.js';

/** The numbers of the cores that this process may use. Empty on other systems than Linux. */
export function ownCores(): number[] {
  if (process.platform !== 'linux') return [];
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!;
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number) as [number, number?];
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
}

/** Lets all threads of a process, and the processes that it starts later, use only these cores. */
export async function pin(pid: number, cores: readonly number[]): Promise<void> {
  const { code, output } = await run('taskset', ['-a', '-c', '-p', cores.join(), String(pid)]);
  if (code !== 0) throw new Error(`taskset of util-linux could not pin a process to the cores ${cores}: ${output}`);
}
