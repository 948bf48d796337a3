import { runLoad } from '../load/load.ts';
import { atMost, type Line, notMeasured, percentile, type Runs } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { flagsInLargest, largeFlag, largestProject, searchedTag } from '../system/large-installation.ts';
import { proportionalSize } from '../system/memory.ts';
import { largeInstallation as flags } from '../system/stage.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** Two of them are slower than the p99, so that one outlier does not decide a run. */
const requestsPerRun = 200;
/** A list takes as long as fifty of the others. The p99 of twenty is the slowest, which is no easier to keep. */
const listsPerRun = 20;
const warmup = 5;

const pages = ['large-flag-0', 'large-flag-1', 'flag', 'large'].map((query) =>
  new URLSearchParams({ query, tag: `INCLUDE:simple:${searchedTag}`, state: 'IS:active', limit: '100' }).toString(),
);

export const largeInstallation: Row = {
  number: '16',
  title: 'administration of 10,000 flags in 3 environments',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('large');
    const count = bench.amount(flags);
    const list = `/api/admin/projects/${largestProject}/features`;
    const one = Array.from({ length: 50 }, (_, n) => `${list}/${largeFlag(1 + ((n * 97) % flagsInLargest(count)))}`);
    const search = pages.map((page) => `/api/admin/search/features?${page}`);
    const named = { row: '16', unit: 'ms, p99', remark: `${count} flags` };
    const ones = await p99s(bench, yardarm, one, requestsPerRun);
    const searches = await p99s(bench, yardarm, search, requestsPerRun);
    const before = memoryOf(yardarm);
    const lists = await p99s(bench, yardarm, [list], listsPerRun);
    return [
      atMost(50, ones.toLastByte, { ...named, what: 'one flag' }),
      atMost(50, searches.toLastByte, { ...named, what: 'a search page of 100' }),
      atMost(50, lists.toFirstByte, { ...named, what: 'first byte of the list of a project' }),
      atMost(500, lists.toLastByte, { ...named, what: 'the list of a project' }),
      growth(before, memoryOf(yardarm)),
    ];
  },
};

async function p99s(bench: Bench, { url, adminToken }: Yardarm, paths: readonly string[], count: number) {
  const requests = paths.map((path) => ({ url: `${url}${path}`, headers: { authorization: adminToken }, status: 200 }));
  const toFirstByte: Runs = { subject: [], baseline: [] };
  const toLastByte: Runs = { subject: [], baseline: [] };
  for (let run = 0; run < bench.runs; run += 1) {
    const latency = await runLoad({ kind: 'latencies', requests, warmup, count: bench.amount(count) });
    toFirstByte.subject.push(percentile(latency.toFirstByte, 99));
    toLastByte.subject.push(percentile(latency.toLastByte, 99));
  }
  return { toFirstByte, toLastByte };
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
