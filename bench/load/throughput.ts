import autocannon from 'autocannon';
import { cpuSecondsOf } from '../system/cpu.ts';
import { type Counted, type LoadRequest, type Throughput, uniqueText } from './jobs.ts';

/** Counts the answers in `seconds` after a warm-up with the same load. */
export async function countAnswers(job: Throughput): Promise<Counted> {
  const { request, others = [], connections, warmupSeconds, seconds, pid } = job;
  const { status, ...sent } = request;
  const idReplacement = sent.body?.includes(uniqueText) ?? false;
  const alternatives = others.length === 0 ? {} : { setupClient: inTurn([request, ...others]) };
  const round = (duration: number) =>
    runAutocannon({ ...sent, ...alternatives, idReplacement, connections, duration }, status);
  const { count: warmupCount } = await round(warmupSeconds);
  const pids = pid === undefined ? [] : [pid];
  const cpuBefore = cpuSecondsOf(pids);
  const counted = await round(seconds);
  return { ...counted, warmupCount, cpuSeconds: cpuSecondsOf(pids) - cpuBefore };
}

/** Each connection gets the next of the requests. */
function inTurn(requests: readonly LoadRequest[]) {
  let connection = 0;
  return (client: autocannon.Client) => {
    const { url, method = 'GET', headers = {}, body } = requests[connection % requests.length]!;
    connection += 1;
    client.setRequests([{ method, headers, path: new URL(url).pathname, ...(body === undefined ? {} : { body }) }]);
  };
}

/** Throws when any answer has another status. */
export async function runAutocannon(
  options: autocannon.Options,
  status: number,
): Promise<Pick<Counted, 'count' | 'seconds'>> {
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
