// Tests how messages of SIGNALS are stored over a real bus and Postgres: once each, with the payload as it was sent.
import { randomUUID } from 'node:crypto';
import type { Database } from '@yardarm/shared/db';
import { createDatabase } from '@yardarm/shared/db';
import { createLogger } from '@yardarm/shared/log';
import { eventually, longTest, removeStream } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { SignalsTables } from '../db/schema.ts';
import { sendSignals, storedIds } from '../testing/sent-signals.ts';
import { type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';
import type { StoredSignal } from './signal.ts';
import { storeSignals } from './store-signals.ts';

let rig: SignalsRig;
let db: Database<SignalsTables>;

beforeAll(async () => {
  rig = await startSignalsRig();
  const log = createLogger({ service: 'test', level: 'error' });
  db = createDatabase<SignalsTables>({ url: rig.database.urlFor('signals'), schema: 'signals', log });
});

beforeEach(() => rig.rows('truncate signals.signals, signals.signals_set_aside'));

afterAll(async () => {
  await db?.close();
  await rig?.stop();
});

const payloads = async () =>
  (await rig.rows<{ payload: string }>('select payload from signals.signals order by id')).map((row) => row.payload);

const signalOf = (id: number, over: Partial<StoredSignal> = {}): StoredSignal => ({
  ...{ id, endpointId: 1, tokenId: 1, payload: '{}', createdAt: new Date().toISOString() },
  ...{ streamIncarnation: null, streamSequence: id, ...over },
});

describe('the payload is stored', () => {
  it.each([
    '{ "n": 1e400, "big": 123456789012345678901234567890, "n": 1.50 }',
    '\n[ 1 , 2 ]\t',
    '"\\u0000 \\ud800 \\u00e4"',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    'null',
  ])('as the text that was sent', async (payloadText) => {
    await sendSignals(rig, { id: 1, payloadText });
    await rig.service.processAll();
    expect(await payloads()).toEqual([payloadText]);
  });

  it.each([
    ['text with NUL and half a surrogate pair', ['\u0000', '\ud800', '😀']],
    ['a hundred levels', JSON.parse('['.repeat(100) + ']'.repeat(100))],
    ['keys in their order', { z: 1, a: 2, __proto: 3 }],
    ['false', false],
    ['nothing', undefined],
  ])('as JSON when a gateway of the version before sends it parsed: %s', async (_, payload) => {
    await sendSignals(rig, { id: 1, payload });
    await rig.service.processAll();
    expect(await payloads()).toEqual([JSON.stringify(payload ?? null)]);
  });

  it.each([
    ['{"a":{"b":[1,"x"]}}', { a: { b: [1, 'x'] } }],
    ['"text"', 'text'],
    ['{"nul":"\\u0000"}', null],
    ['{"half":"\\ud800"}', null],
    ['[1e200000]', null],
    [`${'['.repeat(50_000)}${']'.repeat(50_000)}`, null],
  ])('as jsonb too, unless jsonb cannot hold it', async (payloadText, expected) => {
    await sendSignals(rig, { id: 1, payloadText });
    await rig.service.processAll();
    expect(await rig.rows('select payload_json from signals.signals')).toEqual([{ payload_json: expected }]);
  });
});

describe('a message of SIGNALS', () => {
  it('that is delivered twice is stored once', async () => {
    await sendSignals(rig, { id: 21, payload: 'first' });
    await rig.service.processAll();
    await sendSignals(rig, { id: 21, payload: 'again' }, { id: 22, payload: 'new' });
    await rig.service.processAll();
    expect(await payloads()).toEqual(['"first"', '"new"']);
  });

  it('becomes a dead letter with a reason when it is no signal, and the others are stored', async () => {
    const subject = 'signal.1';
    const publish = (message: unknown) => rig.bus.publish(subject, message, { msgId: randomUUID() });
    await sendSignals(rig, { id: 31 });
    await publish({ nonsense: true });
    await sendSignals(rig, { id: 33, payloadText: '{"half":' }, { id: 34 });
    await rig.service.processAll();
    expect(await storedIds(rig)).toEqual([31, 34]);
    const kept = 'select subject, payload, reason from signals.signals_set_aside order by sequence';
    expect(await rig.rows(kept)).toEqual([
      { subject, payload: '{"nonsense":true}', reason: expect.stringContaining('.id property is required') },
      { subject, payload: expect.any(String), reason: expect.stringContaining('.payloadText property should be JSON') },
    ]);
  });

  it('keeps its place in the stream, also when the stream was recreated', async () => {
    const places = () =>
      rig.rows<{ id: string; incarnation: string; sequence: string }>(
        'select id, stream_incarnation as incarnation, stream_sequence as sequence from signals.signals order by id',
      );
    await sendSignals(rig, { id: 41 }, { id: 42 });
    await rig.service.processAll();
    const before = await rig.bus.streamInfo('SIGNALS');
    const [first, second] = await places();
    expect(second).toEqual({
      ...{ id: '42', incarnation: before.incarnation, sequence: String(before.lastSequence) },
    });
    expect(Number(second?.sequence)).toBe(Number(first?.sequence) + 1);

    await removeStream(inject('natsUrl'), `${rig.prefix}_SIGNALS`);
    await rig.bus.ensureStreams(['SIGNALS']);
    const after = await rig.bus.streamInfo('SIGNALS');
    expect(after.incarnation).not.toBe(before.incarnation);
    // A replica learns of the new stream within seconds. A message before then keeps the incarnation before.
    await eventually(async () => {
      await rig.rows('delete from signals.signals where id = 43');
      await sendSignals(rig, { id: 43 });
      await rig.service.processAll();
      expect((await places()).at(-1)?.incarnation).toBe(after.incarnation);
    });
  });
});

describe('signals', () => {
  it('that several processes store at once in different orders are stored once, without a deadlock', async () => {
    const ids = Array.from({ length: 300 }, (_, index) => 1_000 + index);
    const stored = await Promise.all(
      Array.from({ length: 10 }, (_, process) => {
        const part = ids.slice(process * 10, process * 10 + 200).map((id) => signalOf(id));
        const batch = process % 2 === 0 ? part : part.toReversed();
        return db.transaction(async (trx) => {
          const first = await storeSignals(trx, batch);
          return first + (await storeSignals(trx, batch));
        });
      }),
    );
    expect(stored.reduce((sum, count) => sum + count)).toBe(290);
    expect(await storedIds(rig)).toEqual(ids.slice(0, 290));
    const [{ deadlocks } = {}] = await rig.rows<{ deadlocks: number }>(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks).toBe(0);
  });

  it('whose ids are outside of all partitions are stored', async () => {
    const ids = [5, 40_000_000_000, Number.MAX_SAFE_INTEGER];
    expect(
      await storeSignals(
        db.kysely,
        ids.toReversed().map((id) => signalOf(id)),
      ),
    ).toBe(3);
    expect(
      await storeSignals(
        db.kysely,
        ids.map((id) => signalOf(id)),
      ),
    ).toBe(0);
    expect(await storedIds(rig)).toEqual(ids);
  });

  longTest('of many large payloads, whose index takes long, are stored in several statements', async () => {
    const numbers = (n: number) => JSON.stringify(Array.from({ length: 12_000 }, (_, index) => n * 12_000 + index));
    const batch = Array.from({ length: 50 }, (_, n) => signalOf(n + 1, { payload: numbers(n) }));
    expect(await storeSignals(db.kysely, batch)).toBe(50);
    const [{ statements } = {}] = await rig.rows<{ statements: number }>(
      'select count(distinct stored_at)::integer as statements from signals.signals',
    );
    expect(statements).toBeGreaterThan(1);
  });

  it('of a batch with the same id twice are stored once', async () => {
    expect(await storeSignals(db.kysely, [signalOf(7, { payload: '1' }), signalOf(7, { payload: '2' })])).toBe(1);
    expect(await payloads()).toEqual(['1']);
  });
});
