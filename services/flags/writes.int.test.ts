// Proves of every write that it emits the events of the catalogue, and that the same write again emits none and raises
// no revision.
import { type EventType, eventCatalogue } from '@yardarm/shared/contracts/events';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from './testing/flags-rig.ts';
import { countedSizes, environmentUnits, storedSizes } from './testing/sizes.ts';
import { definitionWrites } from './testing/writes/definition-writes.ts';
import { featureWrites } from './testing/writes/feature-writes.ts';
import { placeWrites } from './testing/writes/place-writes.ts';
import { relationWrites } from './testing/writes/relation-writes.ts';
import { sparseWrites } from './testing/writes/sparse-writes.ts';
import { stepWrites } from './testing/writes/step-writes.ts';
import { strategyWrites } from './testing/writes/strategy-writes.ts';
import { transferWrites } from './testing/writes/transfer-writes.ts';
import { usageWrites } from './testing/writes/usage-writes.ts';
import type { ExpectedEvent } from './testing/writes/write.ts';

// Each write sees what the writes before have left.
const writes = [
  ...[...featureWrites, ...strategyWrites, ...relationWrites, ...definitionWrites],
  ...[...placeWrites, ...transferWrites, ...sparseWrites, ...usageWrites, ...stepWrites],
];

/** The other requests of flags. */
const isRead =
  /\.(get|get-.+|list|list-.+|validate|validate-.+|check-.+|find-.+|count|overview|status|search|summarize)$/;
const otherReads = [
  'flags.project.get-health',
  // It writes nothing: there are no change requests.
  'flags.project-environment.configure-change-requests',
  'flags.snapshot.revisions',
  'flags.snapshot.fetch',
  'flags.playground.evaluate',
];

const emitted: [type: EventType, operation: string][] = [];
let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

async function eventsSince(count: number): Promise<ExpectedEvent[]> {
  const events = (await rig.events()).slice(count);
  return events.map(({ type, project, environment, featureName, data, preData }) => ({
    ...{ type, project, environment, featureName, data, preData },
  }));
}

/** What a write without effect leaves as it is. */
async function state() {
  const { environments } = await rig.ask(contracts.listRevisions, {});
  const versions = await rig.db.kysely.selectFrom('features').select(['name', 'version']).orderBy('name').execute();
  return { environments, versions };
}

const none = { project: null, environment: null, featureName: null, data: null, preData: null };

describe('a write', () => {
  it.each(writes.map((each, index) => [index + 1, each.operation, each] as const))(
    '%i, %s, emits the events of the catalogue, and nothing when it is repeated',
    async (_, operation, { send, emits, again }) => {
      const before = (await rig.events()).length;
      const repeat = await send(rig);
      const events = await eventsSince(before);
      emitted.push(...events.map(({ type }) => [type, operation] as [EventType, string]));
      expect(events).toEqual(emits.map((event) => ({ ...none, ...event })));
      for (const { type, data, preData } of events) {
        expect(namedIn(eventCatalogue[type].data, data)).toEqual([]);
        expect(namedIn(eventCatalogue[type].preData, preData)).toEqual([]);
      }

      const left = await state();
      const repeated = await repeat().then(
        () => 'nothing',
        (error) => error.code,
      );
      if (again === 'the same') return expect(repeated).toBe('nothing');
      expect(repeated).toBe(again);
      expect(await eventsSince(before + events.length)).toEqual([]);
      expect(await state()).toEqual(left);
    },
  );

  it('keeps the sizes of places and environments right', async () => {
    expect(await storedSizes(rig)).toEqual(await countedSizes(rig));
    const { stored, summed } = await environmentUnits(rig);
    expect(stored).toEqual(summed);
  });
});

/** The properties of the data that the description lacks; `null` is described as such. */
function namedIn(description: string, data: object | null | undefined): string[] {
  const words = new Set(description.match(/\w+/g));
  return (data ? Object.keys(data) : ['null']).filter((name) => !words.has(name));
}

test('the catalogue names exactly the operations that emit a type', () => {
  const described = Object.entries(eventCatalogue).flatMap(([type, { emittedBy }]) =>
    (emittedBy ?? '')
      .split(', ')
      .filter((operation) => operation.startsWith('flags'))
      .map((operation) => `${type}: ${operation}`),
  );
  const seen = new Set(emitted.map(([type, operation]) => `${type}: ${operation}`));
  expect([...seen].sort()).toEqual(described.sort());
});

test('every request of flags that writes is among the writes', () => {
  const all = Object.values(contracts) as { kind?: string; name?: string }[];
  const requests = all.filter(({ kind }) => kind === 'request').map(({ name = '' }) => name);
  const written = new Set(writes.map(({ operation }) => operation));
  const missing = requests.filter((name) => !written.has(name));
  expect(missing.filter((name) => !isRead.test(name) && !otherReads.includes(name))).toEqual([]);
});
