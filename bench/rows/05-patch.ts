import { sayWork, workLines } from '../counting/work-report.ts';
import { alternating, atLeast, beside, discounted, type Line } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { type CpuByPart, productCpuMs } from '../system/cpu-by-part.ts';
import { type Patched, patch, patchAndDrain } from './patches.ts';

/** From the goal: unleash-server accepts no webhook on loopback. */
const baseline = 'baseline: unleash-server 8.2, without a webhook';

export const patches: Row = {
  number: '5',
  title: 'PATCH of a flag, beside unleash-server',
  measure: (bench) => measure(bench, { row: '5', what: 'PATCH', webhooks: 1 }),
};

export const patchesWithoutIntegration: Row = {
  number: '5d',
  title: 'PATCH of a flag without an integration, beside unleash-server',
  measure: (bench) => measure(bench, { row: '5d', what: 'PATCH, no integration', webhooks: 0 }),
};

/** The rate, and where the CPU time of a change goes. */
async function measure(
  bench: Bench,
  { row, what, webhooks }: { row: string; what: string; webhooks: number },
): Promise<Line[]> {
  const missing: string[] = [];
  const own: Patched[] = [];
  const peer: Patched[] = [];
  const note = (those: Patched[], patched: Patched) => {
    if (patched.missing) missing.push(patched.missing);
    those.push(patched);
    return patched.perSecond;
  };
  const runs = await alternating(
    bench.runs,
    async () => note(own, await patchAndDrain(bench, await bench.stage.yardarm('flags'), webhooks)),
    async () => note(peer, await patch(bench, await bench.stage.peer())),
  );
  const rate = atLeast(2, runs, { row, what, unit: 'answers/s', remark: baseline });
  if (bench.stopped.length > 0) missing.unshift(`${bench.stopped.join(' and ')} stood still`);
  const cpusOf = (those: Patched[]) => those.map(({ cpuMs }) => cpuMs);
  const [ownWork, peerWork] = [worksOf(own), worksOf(peer)];
  sayWork(bench, { 'Yardarm, per change': ownWork, 'unleash-server, per change': peerWork });
  return [
    discounted(rate, missing),
    ...cpuLines(row, cpusOf(own), cpusOf(peer)),
    ...workLines(row, 'change', ownWork, peerWork),
  ];
}

const worksOf = (those: Patched[]) => those.flatMap(({ work }) => work ?? []);

/** The sum without load generator and receiver, and then each part. The parts of both products have the same order. */
function cpuLines(row: string, own: CpuByPart[], peer: CpuByPart[]): Line[] {
  const unit = 'ms of CPU/change';
  const sums = { subject: own.map(productCpuMs), baseline: peer.map(productCpuMs) };
  if (own.every((cpu) => cpu.size === 0)) return [];
  const parts = new Set([...own, ...peer].flatMap((cpu) => [...cpu.keys()]));
  const partOf = (cpus: CpuByPart[], part: string) => cpus.flatMap((cpu) => cpu.get(part) ?? []);
  return [
    beside(sums, { row, what: 'CPU of the product', unit, remark: baseline }),
    ...[...parts].sort().map((part) => {
      const [subject, beyond] = [partOf(own, part), partOf(peer, part)];
      // A part of unleash-server alone has no figure of ours to compare.
      const runs = subject.length > 0 ? { subject, baseline: beyond } : { subject: beyond, baseline: [] };
      return beside(runs, { row, what: `CPU of ${part}`, unit });
    }),
  ];
}
