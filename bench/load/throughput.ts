import autocannon from 'autocannon';
import { cpuSecondsOf } from '../system/cpu.ts';
import { type Counted, type Patches, type Throughput, uniqueText } from './load.ts';

/** Counts the answers in `seconds` after a warm-up with the same load. */
export async function countAnswers(job: Throughput): Promise<Counted> {
  const { request, connections, warmupSeconds, seconds, pid } = job;
  const { status, ...sent } = request;
  const idReplacement = sent.body?.includes(uniqueText) ?? false;
  const round = (duration: number) => runAutocannon({ ...sent, idReplacement, connections, duration }, status);
  const { count: warmupCount } = await round(warmupSeconds);
  const pids = pid === undefined ? [] : [pid];
  const cpuBefore = cpuSecondsOf(pids);
  const counted = await round(seconds);
  return { ...counted, warmupCount, cpuSeconds: cpuSecondsOf(pids) - cpuBefore };
}

export async function countPatches(job: Patches): Promise<Counted> {
  const headers = { authorization: job.token, 'content-type': 'application/json' };
  let changes = 0;
  let connection = 0;
  const setupClient = (client: autocannon.Client) => {
    const own = job.flags.filter((_, n) => n % job.connections === connection % job.connections);
    connection += 1;
    client.setRequests(
      own.map((flag) => ({
        ...{ method: 'PATCH' as const, path: `${new URL(job.url).pathname}/${flag}`, headers },
        setupRequest(request: autocannon.Request) {
          changes += 1;
          const change = [{ op: 'replace', path: '/description', value: `change ${changes} of ${process.pid}` }];
          return { ...request, body: JSON.stringify(change) };
        },
      })),
    );
  };
  const round = (duration: number) =>
    runAutocannon({ url: job.url, connections: job.connections, duration, setupClient }, 200);
  const { count: warmupCount } = await round(job.warmupSeconds);
  return { ...(await round(job.seconds)), warmupCount, cpuSeconds: 0 };
}

async function runAutocannon(options: autocannon.Options, status: number): Promise<Pick<Counted, 'count' | 'seconds'>> {
  const result = await autocannon(options);
  // The number of answers per status, which is missing in the types of autocannon.
  const counts = (result as unknown as { statusCodeStats: Record<string, { count: number }> }).statusCodeStats;
  const others = Object.entries(counts).filter(([code]) => Number(code) !== status);
  const count = counts[status]?.count ?? 0;
  if (result.errors > 0 || others.length > 0 || count === 0) {
    const unexpected = others.map(([code, other]) => `${other.count} answered ${code}`).join(', ');
    throw new Error(
      `${options.url}: ${count} answered ${status}, ${result.errors} failed${unexpected && `, ${unexpected}`}`,
    );
  }
  return { count, seconds: result.duration };
}
