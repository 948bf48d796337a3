// Row 5f: creations and switches of one environment, each beside unleash-server. Both products have the same state at
// the beginning of each run, 1,000 flags that are on: the created flags are deleted after the run, and the switched
// ones are switched on. A run of creations has an amount and no duration, so the state at its end is the same too.
import { type Counted, runLoad } from '../load/load.ts';
import { alternating, atLeast, discounted, type Line } from '../measurement.ts';
import type { Bench, Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';
import { countLogged, drain } from './draining.ts';
import { connections, type Patchable } from './patches.ts';

const project = '/api/admin/projects/default';
const environment = 'development';

/** Some ten seconds of creations. The 4,400 flags at the end are fewer than the 5,000 that unleash-server allows. */
const createdPerRun = 3_000;
/** Until Node has compiled the hot code and the connections are open. */
const warmupCreations = 400;
const warmupSeconds = 5;
const seconds = 60;

/** Deleting all at once would hold locks for seconds. */
const deletedAtOnce = 500;

interface Kind {
  what: string;
  /** Of the events that the log must have. */
  types: string[];
  change(bench: Bench, server: Patchable): Promise<Counted>;
  restore(server: Patchable): Promise<void>;
}

/** One for each connection at least, in a trial too. */
const amountOf = (bench: Bench, protocol: number) => Math.max(connections, bench.amount(protocol));

/** No other flag of the bench has it. */
const prefix = 'created-';

const creations: Kind = {
  what: 'creation of a flag',
  types: ['feature-created'],
  change: (bench, { url, adminToken: token }) =>
    runLoad({
      ...{ kind: 'creations', url: `${url}${project}/features`, token, connections },
      ...{ status: 201, prefix, warmup: amountOf(bench, warmupCreations), amount: amountOf(bench, createdPerRun) },
    }),
  async restore({ api }) {
    const { features: present } = await api.call<{ features: { name: string }[] }>('GET', `${project}/features`);
    const names = present.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    for (let from = 0; from < names.length; from += deletedAtOnce) {
      const features = names.slice(from, from + deletedAtOnce);
      for (const step of ['archive', 'delete']) await api.call('POST', `${project}/${step}`, { features });
    }
  },
};

const switches: Kind = {
  what: 'switch of an environment',
  types: ['feature-environment-enabled', 'feature-environment-disabled'],
  change: (bench, { url, adminToken: token }) =>
    runLoad({
      ...{ kind: 'flag-switches', url: `${url}${project}/features`, token, flags: flagNames, environment, connections },
      ...{ warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
    }),
  async restore({ api }) {
    await api.call('POST', `${project}/bulk_features/environments/${environment}/on`, { features: flagNames });
  },
};

export const creationsAndSwitches: Row = {
  number: '5f',
  title: 'creations, and switches of one environment, beside unleash-server',
  measure: async (bench) => [await measure(bench, creations), await measure(bench, switches)],
};

async function measure(bench: Bench, { what, types, change, restore }: Kind): Promise<Line> {
  const missing: string[] = [];
  const runs = await alternating(
    bench.runs,
    async () => {
      const server = await bench.stage.yardarm('flags');
      const before = await countLogged(server.api, types);
      const { count, warmupCount, seconds: took } = await change(bench, server);
      const lacking = await drain(server.api, { types, before, changes: count + warmupCount, webhooks: 0 });
      if (lacking) missing.push(lacking);
      await restore(server);
      return count / took;
    },
    async () => {
      // It stores the event before it answers, so there is nothing to wait for.
      const server = await bench.stage.peer();
      const { count, seconds: took } = await change(bench, server);
      await restore(server);
      return count / took;
    },
  );
  const remark = 'no integration; baseline: unleash-server 8.2';
  return discounted(atLeast(1.5, runs, { row: '5f', what, unit: 'answers/s', remark }), missing);
}
