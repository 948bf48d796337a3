import { runLoad } from '../load/load.ts';
import { atMost, type Line, notMeasured, repeated } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import type { Api } from '../system/api.ts';
import { hugeEnvironments, largeFlag, largestProject } from '../system/large-installation.ts';
import { sampleSizes } from '../system/memory.ts';
import { startSecondGateway } from '../system/second-gateway.ts';
import { type Dataset, hugeInstallation, largeInstallation } from '../system/stage.ts';
import type { Yardarm } from '../system/yardarm.ts';
import { cpuOfChange } from './11-change-among-many.ts';

/** Four polls of each SDK at the default interval of 15 s, and 60 changes. */
const seconds = 60;

/** Of the changes beside the SDKs. All are in the largest project, in a trial too. */
const changedFlags = Array.from({ length: 50 }, (_, n) => largeFlag(n + 1));

export const hugeInstallationRow: Row = {
  number: '19',
  title: '100,000 flags in 500 projects and 5 environments',
  async measure(bench) {
    if (process.platform !== 'linux') {
      const what = 'memory, start and CPU per change';
      return [notMeasured({ row: '19', what, unit: '', goal: '', remark: 'Linux only' })];
    }
    bench.say(`  making ${bench.amount(hugeInstallation)} flags ...`);
    await bench.stage.yardarm(datasetOf(bench));
    return [await measureMemory(bench), await measureStart(bench), await measureChange(bench)];
  },
};

const datasetOf = (bench: Bench): Dataset => `small-flags-${bench.amount(hugeInstallation)}`;
const amounts = (bench: Bench) => `${bench.amount(hugeInstallation)} flags, ${hugeEnvironments.length} environments`;

/** The largest memory of flags and gateway while an SDK of each environment streams and polls. */
async function measureMemory(bench: Bench): Promise<Line> {
  const each: string[] = [];
  const runs = await repeated(bench.runs, async () => {
    const { api, url, adminToken, services } = await bench.stage.yardarm(datasetOf(bench));
    const tokens = await Promise.all(hugeEnvironments.map((environment) => makeToken(api, environment)));
    const sizes = sampleSizes([services().get('flags')!, services().get('gateway')!]);
    const sdks = { gateway: url, adminToken, tokens, project: largestProject, flags: changedFlags };
    await runLoad({ kind: 'sdks', ...sdks, seconds: bench.seconds(seconds) }).finally(() => sizes.stop());
    const [flags, gateway] = sizes.stop() as [number, number];
    each.push(`${Math.round(flags)} + ${Math.round(gateway)}`);
    return flags + gateway;
  });
  const remark = `${amounts(bench)}; the largest of two readings a second: flags + gateway ${each.join(', ')}`;
  return atMost(600, runs, { row: '19', what: 'memory of flags and gateway', unit: 'MB, PSS', remark });
}

/** A token for all projects. A name may be used again. */
async function makeToken(api: Api, environment: string): Promise<string> {
  const token = { type: 'client', tokenName: `bench-${environment}`, environment, projects: ['*'] };
  return (await api.call<{ secret: string }>('POST', '/api/admin/api-tokens', token)).secret;
}

/** From the start of a gateway's process without data until it has answered a whole listing. */
async function measureStart(bench: Bench): Promise<Line> {
  let starts = 0;
  const runs = await repeated(bench.runs, async () => {
    const yardarm = await bench.stage.yardarm(datasetOf(bench));
    const startedAt = performance.now();
    starts += 1;
    const gateway = await startSecondGateway(yardarm, bench.stage.folder(`huge-gateway-${starts}`));
    const took = (performance.now() - startedAt) / 1_000;
    await gateway.stop();
    return took;
  });
  const remark = `${amounts(bench)}; the listing of one environment`;
  return atMost(15, runs, { row: '19', what: 'a gateway, from its start to its first listing', unit: 's', remark });
}

async function measureChange(bench: Bench): Promise<Line> {
  const on = async (dataset: Dataset) => {
    const yardarm = await bench.stage.yardarm(dataset);
    await untilListed(yardarm);
    return (await repeated(bench.runs, () => cpuOfChange(bench, yardarm))).subject;
  };
  // One after the other and not alternately: a second `npm start` waits a minute for a gateway, and this one needs more
  // on a busy machine.
  const runs = { subject: await on(datasetOf(bench)), baseline: await on('large') };
  const remark = `flags and gateway under the load of row 11; baseline: its ${bench.amount(largeInstallation)} flags`;
  return atMost(2, runs, { row: '19', what: `a change with ${amounts(bench)}`, unit: 'CPU ms', remark });
}

/** A gateway that has just started loads the flags with the first listing, which is no cost of a change. */
async function untilListed({ url, sdkToken }: Yardarm): Promise<void> {
  const response = await fetch(`${url}/api/client/features`, { headers: { authorization: sdkToken } });
  if (!response.ok) throw new Error(`the listing answered ${response.status}`);
  await response.arrayBuffer();
}
