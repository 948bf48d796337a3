import { readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in Linux's `stat` is a hundredth of a second on every architecture that Node supports. */
const msPerTick = 10;

/** Postgres keeps its connections for minutes. The last hundredths of one that ends are lost. */
const sampleMs = 500;

/** What a process does, by its command line. The first that matches counts. */
const parts: [pattern: RegExp, part: string][] = [
  [/\/services\/(\w+)\/main\.ts/, '$1'],
  [/^postgres: yardarm_(\w+) /, 'Postgres of $1'],
  [/^postgres: \S+ unleash /, 'Postgres of unleash-server'],
  [/^postgres: (?:checkpointer|background writer|walwriter|autovacuum)/, 'Postgres in the background'],
  [/nats-server/, 'nats-server'],
  [/\/load\/generator\.ts/, 'load generator'],
  [/\/load\/receiving\.ts/, 'receiver'],
  [/\/peer\/main\.cjs/, 'unleash-server'],
];

/** User and system time in milliseconds. */
export type CpuByPart = Map<string, number>;

/**
 * Begins to measure the CPU time of the processes that this one has started, and those that these have started. The
 * result ends it; it is empty on other systems than Linux.
 */
export function startCpuByPart(): () => CpuByPart {
  if (process.platform !== 'linux') return () => new Map();
  const first = new Map<number, number>();
  const last = new Map<number, { part: string; ms: number }>();
  const sample = (isFirst: boolean) => {
    for (const { pid, ms } of descendantsOf(process.pid)) {
      if (isFirst) first.set(pid, ms);
      const part = last.get(pid)?.part ?? partOf(pid);
      if (part !== undefined) last.set(pid, { part, ms });
    }
  };
  sample(true);
  const timer = setInterval(() => sample(false), sampleMs);
  return () => {
    clearInterval(timer);
    sample(false);
    const sums: CpuByPart = new Map();
    for (const [pid, { part, ms }] of last) {
      const used = ms - (first.get(pid) ?? 0);
      if (used > 0) sums.set(part, (sums.get(part) ?? 0) + used);
    }
    return sums;
  };
}

const othersThanProduct = ['load generator', 'receiver'];

/** The sum of all parts without load generator and receiver. */
export function productCpuMs(cpu: CpuByPart): number {
  return [...cpu].reduce((sum, [part, ms]) => (othersThanProduct.includes(part) ? sum : sum + ms), 0);
}

interface Process {
  pid: number;
  parent: number;
  ms: number;
}

function descendantsOf(ancestor: number): Process[] {
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const found: Process[] = [];
  for (const next = [ancestor]; next.length > 0; ) {
    const those = children.get(next.pop()!) ?? [];
    found.push(...those);
    next.push(...those.map(({ pid }) => pid));
  }
  return found;
}

function processes(): Process[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .flatMap((pid) => {
      try {
        // The program's name is in parentheses and may contain anything. Then: state, parent, nine fields, user time,
        // system time.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1)!.trim().split(' ');
        return [{ pid, parent: Number(fields[1]), ms: (Number(fields[11]) + Number(fields[12])) * msPerTick }];
      } catch {
        // It has ended.
        return [];
      }
    });
}

function partOf(pid: number): string | undefined {
  let commandLine: string;
  try {
    commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return undefined;
  }
  for (const [pattern, part] of parts) {
    const match = pattern.exec(commandLine);
    if (match) return part.replace('$1', match[1] ?? '');
  }
  return undefined;
}
