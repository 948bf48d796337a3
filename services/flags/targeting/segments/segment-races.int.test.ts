// Proves that the places of a segment are exact while strategies begin and end to use it: no reader of deltas keeps or
// lacks one. Postgres counts the deadlocks, because the transaction helper would retry and hide them.
import * as contracts from '@yardarm/shared/contracts/flags';
import { isLongRun, propertyRuns } from '@yardarm/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnFlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const environments = ['development', 'production'] as const;
const rounds = Array.from({ length: isLongRun ? 12 : 4 }, (_, index) => index);

let rig: OwnFlagsRig;
let count = 0;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function newFlag(): Promise<string> {
  count += 1;
  const name = `racing-${count}`;
  await rig.ask(contracts.createFeature, { projectId, name });
  return name;
}

async function newSegment(): Promise<number> {
  count += 1;
  const input = { name: `raced-${count}`, constraints: [] };
  return (await rig.ask(contracts.createSegment, input)).id;
}

const use = (featureName: string, segments: number[], environment = 'production') =>
  rig.ask(contracts.addStrategy, {
    ...{ projectId, featureName, environment },
    strategy: { name: 'default', segments },
  });
const end = (featureName: string, strategyId: string, environment = 'production') =>
  rig.ask(contracts.deleteStrategy, { projectId, featureName, environment, strategyId });
const update = (id: number, value: string) =>
  rig.ask(contracts.updateSegment, {
    ...{ id, name: `raced-${id}-${value}`, constraints: [{ contextName: 'userId', operator: 'IN', values: [value] }] },
  });
const remove = (id: number) => rig.ask(contracts.deleteSegment, { id });

/** What a reader has of an environment: the ids of the segments of each flag, and the values of each segment. */
class Reader {
  readonly environment: string;
  known: { epoch: string; revisions: Record<string, number> } | null = null;
  flags = new Map<string, number[]>();
  segments = new Map<string, string[]>();

  constructor(environment: string) {
    this.environment = environment;
  }

  async read(): Promise<this> {
    const { environment, known } = this;
    const change = await rig.ask(contracts.fetchSnapshot, { environment, known });
    if (change.isWhole && known !== null) throw new Error('a delta is expected');
    for (const { name } of change.removed) this.flags.delete(name);
    for (const { feature } of change.changed) {
      this.flags.set(feature.name, feature.strategies.flatMap(({ segments = [] }) => segments).sort());
    }
    for (const { id, project } of change.removedSegments) this.segments.delete(`${id} in ${project}`);
    for (const { id, project, constraints } of change.changedSegments)
      this.segments.set(
        `${id} in ${project}`,
        constraints.flatMap(({ values = [] }) => values),
      );
    this.known = { epoch: change.epoch, revisions: change.revisions };
    return this;
  }

  get state() {
    const sorted = <Value>(map: Map<string, Value>) => [...map].sort(([one], [other]) => (one < other ? -1 : 1));
    return { flags: sorted(this.flags), segments: sorted(this.segments) };
  }
}

/** The places of segments as they are stored, and as the strategies have them. */
async function places(): Promise<{ stored: string[]; actual: string[] }> {
  const list = async (statement: string) => (await rig.database.rows(statement)).map(({ place }) => place as string);
  return {
    stored: await list(`
      select segment_id || ' in ' || project || ' ' || environment as place from flags.segment_revisions
      where is_used order by place`),
    actual: await list(`
      select distinct use.segment_id || ' in ' || fe.project || ' ' || fe.environment as place
      from flags.strategy_segments use
      join flags.feature_strategies strategy on strategy.id = use.strategy_id
      join flags.feature_environments fe using (feature_name, environment)
      where not strategy.disabled order by place`),
  };
}

async function expectExactPlaces(): Promise<void> {
  const { stored, actual } = await places();
  expect(stored).toEqual(actual);
}

describe('a segment that is used and changed at the same time', () => {
  it('reaches a reader of deltas with its last constraints', async () => {
    for (const round of rounds) {
      const [segment, flag] = [await newSegment(), await newFlag()];
      const reader = await new Reader('production').read();
      const reading = (async () => {
        for (let reads = 0; reads < 5; reads += 1) await reader.read();
      })();
      await Promise.all([use(flag, [segment]), update(segment, `v${round}`), reading]);
      await reader.read();
      expect(reader.segments.get(`${segment} in ${projectId}`)).toEqual([`v${round}`]);
      expect(reader.state).toEqual((await new Reader('production').read()).state);
    }
    await expectExactPlaces();
  });

  it('stays where its last use does not end', async () => {
    for (const round of rounds) {
      const [segment, flag] = [await newSegment(), await newFlag()];
      const { id } = await use(flag, [segment]);
      const reader = await new Reader('production').read();
      await Promise.all([end(flag, id), update(segment, `v${round}`), use(flag, [segment], 'development')]);
      await reader.read();
      expect(reader.segments.has(`${segment} in ${projectId}`)).toBe(false);
    }
    await expectExactPlaces();
  });
});

describe('a segment that is used and deleted at the same time', () => {
  it('is either used or gone', async () => {
    for (const _ of rounds) {
      const [segment, flag] = [await newSegment(), await newFlag()];
      const [used, deleted] = await Promise.allSettled([use(flag, [segment]), remove(segment)]);
      expect([used.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
      if (used.status === 'rejected') expect(used.reason).toMatchObject({ code: 'bad-data' });
      if (deleted.status === 'rejected') expect(deleted.reason).toMatchObject({ code: 'conflict' });
    }
    await expectExactPlaces();
  });

  it('is deleted only after its last use ends', async () => {
    for (const _ of rounds) {
      const [segment, flag] = [await newSegment(), await newFlag()];
      const { id } = await use(flag, [segment]);
      const [, deleted] = await Promise.allSettled([end(flag, id), remove(segment)]);
      if (deleted.status === 'rejected') expect(deleted.reason).toMatchObject({ code: 'conflict' });
      else await expect(rig.ask(contracts.getSegment, { id: segment })).rejects.toMatchObject({ code: 'not-found' });
    }
    await expectExactPlaces();
  });
});

describe('the last two uses of a segment', () => {
  it('that end at once leave no place', async () => {
    const segment = await newSegment();
    for (const _ of rounds) {
      const flags = [await newFlag(), await newFlag()] as const;
      const strategies = [await use(flags[0], [segment]), await use(flags[1], [segment])] as const;
      const reader = await new Reader('production').read();
      await Promise.all([end(flags[0], strategies[0].id), end(flags[1], strategies[1].id)]);
      await reader.read();
      expect(reader.segments.has(`${segment} in ${projectId}`)).toBe(false);
      await expectExactPlaces();
    }
  });
});

it('after random concurrent requests the places are exact, and a delta from any earlier state leads to the whole', async () => {
  const segments = [await newSegment(), await newSegment(), await newSegment()];
  const flags = [await newFlag(), await newFlag(), await newFlag()];
  const strategies = new Map<string, { flag: string; environment: string }>();
  const readers: Reader[] = [];
  const segment = fc.constantFrom(...segments);
  const flag = fc.constantFrom(...flags);
  const environment = fc.constantFrom(...environments);
  let value = 0;

  const begin = async (name: string, ids: number[], place: string) => {
    const { id } = await use(name, ids, place);
    strategies.set(id, { flag: name, environment: place });
  };
  const endOne = async (index: number) => {
    const [id, place] = [...strategies][index % Math.max(1, strategies.size)] ?? [];
    if (id === undefined || place === undefined) return;
    strategies.delete(id);
    await end(place.flag, id, place.environment);
  };
  const change = async (id: number) => {
    value += 1;
    await update(id, `w${value}`);
  };
  const request = fc.oneof(
    fc.tuple(flag, fc.uniqueArray(segment, { minLength: 0, maxLength: 3 }), environment).map(
      ([name, ids, place]) =>
        () =>
          begin(name, ids, place),
    ),
    fc.nat(50).map((index) => () => endOne(index)),
    segment.map((id) => () => change(id)),
  );
  const check = async (requests: (() => Promise<void>)[]) => {
    for (const place of environments) readers.push(await new Reader(place).read());
    await Promise.all(requests.map((send) => send()));
    await expectExactPlaces();
    for (const place of environments) {
      const whole = (await new Reader(place).read()).state;
      const own = readers.filter((reader) => reader.environment === place);
      for (const reader of own) expect((await reader.read()).state).toEqual(whole);
    }
  };
  await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), check), {
    ...{ numRuns: propertyRuns(20), endOnFailure: true },
  });
});
