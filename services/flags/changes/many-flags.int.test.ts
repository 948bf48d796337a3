import { TimeSlicer } from '@yardarm/shared/waiting';
// Proves that an operation on many flags is whole, keeps the order of events, and lets other work run meanwhile.

import * as contracts from '@yardarm/shared/contracts/flags';
import { longTest } from '@yardarm/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limitsOf, loadFlagsConfig } from '../config.ts';
import { admin, type OwnFlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { uploadDocument } from '../testing/imports.ts';
import { prepareEvents } from './prepared-events.repo.ts';
import { recordChangeAtOnce } from './record-change.ts';

const projectId = 'default';
const environment = 'development';
const names = Array.from({ length: 1_000 }, (_, index) => `flag-${String(index).padStart(4, '0')}`);
/** The events of all flags together have far more than is sent at once. */
const description = 'x'.repeat(1_000);

let rig: OwnFlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  const features = names.map((name) => ({ name, description }));
  await rig.ask(contracts.importFeatures, await uploadDocument(rig, { features }));
});
afterAll(() => rig?.stop());

it('each bulk operation changes all flags, with one event for each in the order of their names', async () => {
  const of = { projectId, features: names };
  const operations: [string, () => Promise<unknown>][] = [
    [
      'feature-tagged',
      () =>
        rig.ask(contracts.updateTagsOfFeatures, {
          ...of,
          tags: { addedTags: [{ type: 'simple', value: 'bulk' }], removedTags: [] },
        }),
    ],
    ['feature-stale-on', () => rig.ask(contracts.staleFeatures, { ...of, stale: true })],
    [
      'feature-environment-enabled',
      () =>
        rig.ask(contracts.switchFeatures, {
          ...{ ...of, environment, enabled: true, shouldActivateDisabledStrategies: false },
        }),
    ],
    ['feature-archived', () => rig.ask(contracts.archiveFeatures, of)],
    ['feature-revived', () => rig.ask(contracts.reviveFeatures, of)],
  ];
  for (const [type, operation] of operations) {
    const before = (await rig.events()).length;
    await operation();
    const events = (await rig.events()).slice(before).filter((event) => event.type === type);
    expect(events.map(({ featureName }) => featureName)).toEqual(names);
  }
});

/** Ten megabytes take more than a slice on any machine. */
const manyEvents = () =>
  names.map((name) => ({
    ...{ type: 'tag-created' as const, actor: admin, orderingKey: `test:${name}`, requestId: null, traceparent: null },
    data: { type: 'simple', value: description.repeat(10) },
  }));

it('other work runs while events are encoded, and they are sent in many statements', async () => {
  let turns = 0;
  let timer = setImmediate(function next() {
    turns += 1;
    timer = setImmediate(next);
  });
  const { rows, inserts } = await prepareEvents(manyEvents(), new TimeSlicer({ deadline: Number.POSITIVE_INFINITY }));
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(1);
  expect(rows).toHaveLength(names.length);
  expect(inserts.length).toBeGreaterThan(30);
});

/** An operation that appends all of these events. */
const emitAll = (deadline: number) => {
  const resources = { db: rig.db, bus: rig.bus, limits: limitsOf(loadFlagsConfig(rig.environment)) };
  return recordChangeAtOnce(
    resources,
    async (_trx, emit) => {
      const context = { actor: admin, requestId: 'many', traceparent: null };
      await emit(
        ...manyEvents().map(({ type, orderingKey, data }) => ({ context, orderingKey, events: [{ type, data }] })),
      );
    },
    { deadline },
  );
};

longTest('an operation whose deadline passes while its events are encoded changes nothing', async () => {
  const before = (await rig.events()).length;
  await expect(emitAll(Date.now())).rejects.toMatchObject({ code: 'timeout' });
  expect((await rig.events()).length).toBe(before);
  await emitAll(Number.POSITIVE_INFINITY);
  expect((await rig.events()).slice(before).map(({ type }) => type)).toEqual(names.map(() => 'tag-created'));
});

longTest('events whose statements together take longer than the driver waits for one are appended', async () => {
  const before = (await rig.events()).length;
  // Some forty statements of half a second each.
  await rig.database.rows(`
    create function flags.take_long() returns trigger language plpgsql as
      'begin perform pg_sleep(0.5); return null; end';
    create trigger take_long after insert on flags.outbox for each statement execute function flags.take_long()`);
  await emitAll(Number.POSITIVE_INFINITY);
  await rig.database.rows('drop trigger take_long on flags.outbox');
  expect((await rig.events()).length).toBe(before + names.length);
});
