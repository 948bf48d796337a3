// Changes of flags, as many as a server accepts, one at a time on each connection.
import type autocannon from 'autocannon';
import type { Counted, Creations, FlagSwitches, Patches } from './jobs.ts';
import { runAutocannon } from './throughput.ts';

const headersOf = ({ token }: { token: string }) => ({ authorization: token, 'content-type': 'application/json' });

/** The flags of each connection in turn: no two connections change the same flag. */
function sharing(connections: number, flags: readonly string[], requestsOf: (own: string[]) => autocannon.Request[]) {
  let connection = 0;
  return (client: autocannon.Client) => {
    const own = flags.filter((_, n) => n % connections === connection % connections);
    connection += 1;
    client.setRequests(requestsOf(own));
  };
}

export async function countPatches(job: Patches): Promise<Counted> {
  const headers = headersOf(job);
  let changes = 0;
  const setupClient = sharing(job.connections, job.flags, (own) =>
    own.map((flag) => ({
      ...{ method: 'PATCH', path: `${new URL(job.url).pathname}/${flag}`, headers },
      setupRequest(request) {
        changes += 1;
        const change = [{ op: 'replace', path: '/description', value: `change ${changes} of ${process.pid}` }];
        return { ...request, body: JSON.stringify(change) };
      },
    })),
  );
  const round = (duration: number) =>
    runAutocannon({ url: job.url, connections: job.connections, duration, setupClient }, 200);
  const { count: warmupCount } = await round(job.warmupSeconds);
  return { ...(await round(job.seconds)), warmupCount, cpuSeconds: 0 };
}

/** Creates so many flags after a warm-up. Names have gaps: autocannon may prepare a request that it does not send. */
export async function countCreations(job: Creations): Promise<Counted> {
  let names = 0;
  const headers = headersOf(job);
  // Each connection has its own object, into which autocannon writes the next request.
  const creation = (): autocannon.Request => ({
    ...{ method: 'POST', path: new URL(job.url).pathname, headers },
    setupRequest(request) {
      names += 1;
      const flag = { name: `${job.prefix}${names}`, type: 'release', description: 'A flag of the bench' };
      return { ...request, body: JSON.stringify(flag) };
    },
  });
  const setupClient = (client: autocannon.Client) => client.setRequests([creation()]);
  const create = (amount: number) =>
    runAutocannon({ url: job.url, connections: job.connections, amount, setupClient }, job.status);
  const { count: warmupCount } = await create(job.warmup);
  return { ...(await create(job.amount)), warmupCount, cpuSeconds: 0 };
}

/** A share of the flags is for the warm-up alone: the state of those that it leaves is not known. */
const warmupShare = 0.1;

/** Switches flags that are on: each connection switches its flags off one after another, then on, and so on. */
export async function countFlagSwitches(job: FlagSwitches): Promise<Counted> {
  const headers = headersOf(job);
  const forWarmup = Math.ceil(job.flags.length * warmupShare);
  const round = (flags: readonly string[], duration: number) => {
    const setupClient = sharing(job.connections, flags, (own) =>
      ['off', 'on'].flatMap((state) =>
        own.map((flag): autocannon.Request => {
          const path = `${new URL(job.url).pathname}/${flag}/environments/${job.environment}/${state}`;
          return { method: 'POST', path, headers };
        }),
      ),
    );
    return runAutocannon({ url: job.url, connections: job.connections, duration, setupClient }, 200);
  };
  const { count: warmupCount } = await round(job.flags.slice(0, forWarmup), job.warmupSeconds);
  return { ...(await round(job.flags.slice(forWarmup), job.seconds)), warmupCount, cpuSeconds: 0 };
}
