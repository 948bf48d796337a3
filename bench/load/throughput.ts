import autocannon from 'autocannon';
import type { Counted, Patches, Throughput } from './load.ts';

/** How many answers came in `seconds`, after a warm-up of the same. */
export async function countAnswers({ request, connections, warmupSeconds, seconds }: Throughput): Promise<Counted> {
  const { status, ...sent } = request;
  const round = (duration: number) => fire({ ...sent, connections, duration }, status);
  const { count: before } = await round(warmupSeconds);
  return { ...(await round(seconds)), before };
}

/** How many PATCHes were answered in `seconds`, after a warm-up of the same. */
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
  const round = (duration: number) => fire({ url: job.url, connections: job.connections, duration, setupClient }, 200);
  const { count: before } = await round(job.warmupSeconds);
  return { ...(await round(job.seconds)), before };
}

async function fire(options: autocannon.Options, status: number): Promise<Omit<Counted, 'before'>> {
  const result = await autocannon(options);
  // Not in its types: how many answers there were of each status.
  const counts = (result as unknown as { statusCodeStats: Record<string, { count: number }> }).statusCodeStats;
  const others = Object.entries(counts).filter(([code]) => Number(code) !== status);
  const count = counts[status]?.count ?? 0;
  if (result.errors > 0 || others.length > 0 || count === 0) {
    const shown = others.map(([code, other]) => `${other.count} answered ${code}`).join(', ');
    throw new Error(`${options.url}: ${count} answered ${status}, ${result.errors} failed${shown && `, ${shown}`}`);
  }
  return { count, seconds: result.duration };
}
