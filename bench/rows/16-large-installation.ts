import { runLoad } from '../load/load.ts';
import { atMost, type Line, notMeasured, percentile, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { largeFlag, largestProject, searchedTag } from '../system/large-installation.ts';
import { proportionalSize } from '../system/memory.ts';
import type { Yardarm } from '../system/yardarm.ts';

const flags = 10_000;
/** Ten of a thousand requests are slower than the p99. A list is as large as fifty of the others. */
const requestsPerRun = 1_000;
const listsPerRun = 100;
const warmup = 20;

const pages = ['large-flag-0', 'large-flag-1', 'flag', 'large'].map((query) =>
  new URLSearchParams({ query, tag: `INCLUDE:simple:${searchedTag}`, state: 'IS:active', limit: '100' }).toString(),
);

export const largeInstallation: Row = {
  number: '16',
  title: 'administration of 10,000 flags in 3 environments',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('large');
    const count = bench.amount(flags);
    const inLargest = Math.round(count / 2);
    const list = [`/api/admin/projects/${largestProject}/features`];
    const one = Array.from({ length: 50 }, (_, n) => `${list[0]}/${largeFlag(1 + ((n * 97) % inLargest))}`);
    const search = pages.map((page) => `/api/admin/search/features?${page}`);
    const line = async (what: string, goal: number, p99: () => Promise<number>) =>
      atMost(goal, await repeated(bench.runs, p99), { row: '16', what, unit: 'ms, p99', remark: `${count} flags` });
    const lines: Line[] = [
      await line('one flag', 50, () => p99Of(yardarm, one, bench.amount(requestsPerRun))),
      await line('a search page of 100', 50, () => p99Of(yardarm, search, bench.amount(requestsPerRun))),
    ];
    const before = memoryOf(yardarm);
    lines.push(
      await line('first byte of the list of a project', 50, () =>
        p99Of(yardarm, list, bench.amount(listsPerRun), 'first byte'),
      ),
      await line('the list of a project', 500, () => p99Of(yardarm, list, bench.amount(listsPerRun))),
    );
    return [...lines, growth(before, memoryOf(yardarm))];
  },
};

async function p99Of(
  { url, adminToken }: Yardarm,
  paths: readonly string[],
  count: number,
  until: 'first byte' | 'last byte' = 'last byte',
): Promise<number> {
  const requests = paths.map((path) => ({ url: `${url}${path}`, headers: { authorization: adminToken }, status: 200 }));
  return percentile(await runLoad({ kind: 'latencies', requests, warmup, count, until }), 99);
}

/** The memory of the processes that a list passes through; empty on other systems than Linux. */
function memoryOf(yardarm: Yardarm): number[] {
  const services = yardarm.services();
  return ['flags', 'gateway'].flatMap((name) => services.get(name) ?? []).map(proportionalSize);
}

function growth(before: readonly number[], after: readonly number[]): Line {
  const named = { row: '16', what: 'growth of flags and gateway by lists', unit: 'MB, PSS' };
  if (before.length !== 2 || after.length !== 2) return notMeasured({ ...named, goal: '<= 64', remark: 'Linux only' });
  const each = after.map((megabytes, index) => Math.max(0, megabytes - before[index]!));
  const remark = `flags ${Math.round(each[0]!)}, gateway ${Math.round(each[1]!)}`;
  return atMost(64, { subject: [each[0]! + each[1]!], baseline: [] }, { ...named, remark });
}
