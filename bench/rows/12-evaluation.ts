import { runLoad, uniqueText } from '../load/load.ts';
import { alternating, atLeast, beside, type Line, median, notMeasured, repeated } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { Api } from '../system/api.ts';
import { flagCount, segmentValues } from '../system/flags.ts';

/** Until Node has compiled the hot code. */
const warmupSeconds = 3;
const seconds = 10;
const connections = 32;

export const evaluation: Row = {
  number: '12',
  title: 'evaluation of flags, in process and by the frontend API',
  async measure(bench) {
    const duration = { warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) };
    const runs = await alternating(
      bench.runs,
      () => runLoad({ kind: 'evaluations', by: 'yardarm', ...duration }),
      () => runLoad({ kind: 'evaluations', by: 'unleash-client', ...duration }),
    );
    const remark = `${flagCount} flags with two variants, a new user each time; baseline: unleash-client`;
    const inProcess = atLeast(3, runs, { row: '12', what: 'flags with variants', unit: 'evaluations/CPU s', remark });
    return [inProcess, await byFrontendApi(bench, duration)];
  },
};

/**
 * The same flags, also with a segment, evaluated by a gateway, per second of its CPU time. Half of them are on and in
 * each answer.
 */
async function byFrontendApi(bench: Bench, duration: { warmupSeconds: number; seconds: number }): Promise<Line> {
  const { url, frontendToken, services } = await bench.stage.yardarm('flags');
  const named = { row: '12', what: 'the same over HTTP, POST /api/frontend', unit: 'evaluations/CPU s' };
  const pid = services().get('gateway');
  if (pid === undefined) return notMeasured({ ...named, goal: '', remark: 'Linux only' });
  const context = { userId: `user-${uniqueText}`, properties: { country: 'no', ...segmentValues } };
  const request = {
    ...{ url: `${url}/api/frontend`, method: 'POST' as const, status: 200, body: JSON.stringify({ context }) },
    headers: { authorization: frontendToken, 'content-type': 'application/json' },
  };
  const { toggles } = await new Api(url, frontendToken).call<{ toggles: unknown[] }>('POST', '/api/frontend', {
    context,
  });
  // Six standard deviations of the number of flags that are on for a user.
  if (Math.abs(toggles.length - flagCount / 2) > 100)
    throw new Error(`${toggles.length} flags are on, not half of them`);
  const perSecond: number[] = [];
  const runs = await repeated(bench.runs, async () => {
    const load = { request, connections, pid, ...duration };
    const { count, seconds: took, cpuSeconds } = await runLoad({ kind: 'throughput', ...load });
    perSecond.push((count * flagCount) / took);
    return (count * flagCount) / cpuSeconds;
  });
  const remark = `${Math.round(median(perSecond))} evaluations/s beside the load generator, on ${connections} connections`;
  return beside(runs, { ...named, remark });
}
