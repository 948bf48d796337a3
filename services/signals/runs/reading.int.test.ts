// Proves which signals are taken, on a real Postgres and stream: each once, in stream order, also when the stream is
// lost or drops messages, when replicas take turns, and when sets are enabled at the same time.
import { randomUUID } from 'node:crypto';
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { sql } from '@yardarm/shared/db';
import { casesOfRun, eventually, expireMessages, longTest, removeStream } from '@yardarm/testing';
import { describe, expect, inject, it } from 'vitest';
import { type RunsRig, runsRig } from '../testing/runs-rig.ts';
import { findPosition } from './positions.repo.ts';
import { takeSignals } from './take-signals.ts';

const test = runsRig();

const signalsRun = async (rig: RunsRig) => (await rig.runs()).map(({ signalId }) => signalId);
const switchedTo = (rig: RunsRig) => rig.switched.map((flag) => Number(flag));

/** A set that switches the flag with the name of the signal's number on. */
const numbered = { flags: ['{{payload.n}}'] };

describe('signals are taken', () => {
  it('from the moment when a set is enabled, also those sent before the reader starts', async () => {
    const { rig } = test;
    await rig.send();
    const first = await rig.createSet({ endpointId: 1 });
    const second = await rig.send();
    const later = await rig.createSet({ endpointId: 1 });
    const third = await rig.send();
    await rig.send({}, { endpointId: 2 });
    const service = await rig.start();
    await service.processAll();
    expect((await rig.runs()).map(({ signalId, setId }) => [signalId, setId])).toEqual([
      [second, first],
      [third, first],
      [third, later],
    ]);
  });

  longTest('not when they were sent while no set was enabled', async () => {
    const { rig } = test;
    const service = await rig.start();
    const set = await rig.createSet();
    const first = await rig.send();
    await service.processAll();
    await rig.switchSet(set, false);
    await rig.send();
    const other = await rig.createSet();
    const last = await rig.send();
    await service.processAll();
    expect((await rig.runs()).map(({ signalId, setId }) => [signalId, setId])).toEqual([
      [first, set],
      [last, other],
    ]);
  });

  longTest('in the order of the stream, each stored before its run', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet(numbered);
    for (let n = 1; n <= 250; n += 1) await rig.send({ n });
    await service.processAll();
    expect(switchedTo(rig)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    const { rows } = await sql`
      select from action_runs r where not exists (select from signals s where s.id = r.signal_id)`.execute(
      rig.db.kysely,
    );
    expect(rows).toEqual([]);
  });

  longTest('with a cooldown of the set over all batches', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet({ cooldownSeconds: 60 });
    const begin = Date.now();
    const after = (seconds: number) => ({ createdAt: new Date(begin + seconds * 1_000) });
    const ids = [];
    for (const seconds of [1, 2, 60, 62, 100, 130]) {
      ids.push(await rig.send({}, after(seconds)));
      await service.processAll();
    }
    expect(await signalsRun(rig)).toEqual([ids[0], ids[3], ids[5]]);
  });

  it('once each, also when they are published again and their set has changed meanwhile', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet({ cooldownSeconds: 60 });
    const createdAt = new Date();
    const first = await rig.send({}, { createdAt });
    const second = await rig.send({}, { createdAt });
    await service.processAll();
    expect(await signalsRun(rig)).toEqual([first]);
    await sql`update action_sets set cooldown_seconds = 0`.execute(rig.db.kysely);
    // In one batch with a signal of its own, and alone.
    const third = await rig.send();
    await rig.send({}, { createdAt, id: second });
    await rig.send({}, { id: third });
    await service.processAll();
    await rig.send({}, { createdAt, id: second });
    await service.processAll();
    expect(await signalsRun(rig)).toEqual([first, third]);
  });

  longTest('past messages that are no signals, which become dead letters', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet(numbered);
    await rig.send({ n: 1 });
    await rig.bus.publish('signal.1', { id: 'x' }, { msgId: randomUUID() });
    await rig.send({ n: 2 });
    await service.processAll();
    expect(switchedTo(rig)).toEqual([1, 2]);
    const kept = await rig.db.kysely.selectFrom('signals_set_aside').select(['subject', 'reason']).execute();
    expect(kept).toEqual([{ subject: 'signal.1', reason: expect.stringContaining('.id') }]);
  });

  longTest('at most until 1,000 runs are unfinished', async () => {
    const { rig } = test;
    const service = await rig.start();
    const setId = await rig.createSet(numbered);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    rig.answer = () => released;
    await rig.send({ n: 1 });
    await eventually(() => expect(rig.called).toHaveLength(1));
    await sql`
      insert into action_runs (action_set_id, signal_id, endpoint_id, actor_id, enabled_at, action_set)
      select -n, 1, 1, 1, now(), '{}' from generate_series(1, 999) n`.execute(rig.db.kysely);
    const second = await rig.send({ n: 2 });
    await eventually(async () => expect(await rig.storedIds()).toContain(second));
    const position = await findPosition(rig.db.kysely, 1);
    expect(await signalsRun(rig)).not.toContain(second);
    // Below the limit it goes on.
    await sql`delete from action_runs where action_set_id = -999`.execute(rig.db.kysely);
    await eventually(async () => expect(await signalsRun(rig)).toContain(second));
    expect((await findPosition(rig.db.kysely, 1))!.lastSequence).toBe(position!.lastSequence + 1);
    await sql`delete from action_runs where action_set_id < 0`.execute(rig.db.kysely);
    release();
    await service.processAll();
    expect(await rig.listed(setId)).toHaveLength(2);
  });
});

describe('signals of an endpoint with an enabled set are stored', () => {
  const startWith = (change: (bus: Bus) => Partial<Bus>) =>
    test.rig.start(
      {},
      { connectBus: async (options) => connectBus(options).then((bus) => ({ ...bus, ...change(bus) })) },
    );

  longTest('once, by the consumers, and the reader gets no payload', async () => {
    const { rig, database } = test;
    await database.rows('create sequence signals.inserts');
    await database.rows('grant usage on signals.inserts to public');
    await database.rows(`
      create function signals.count_insert() returns trigger language plpgsql as $$
      begin
        perform nextval('signals.inserts');
        return new;
      end $$`);
    // Fires also for a row that exists.
    await database.rows(
      'create trigger count before insert on signals.signals for each row execute function signals.count_insert()',
    );
    const ids: number[] = [];
    const payloads = new Set<unknown>();
    const service = await startWith((bus) => ({
      read: (reader, handler) =>
        bus.read(reader, async (batch) => {
          for (const { payload } of batch.messages) payloads.add(payload);
          await eventually(async () => expect(await rig.storedIds()).toEqual(ids));
          await handler(batch);
        }),
    }));
    await rig.createSet(numbered);
    for (let n = 1; n <= 50; n += 1) ids.push(await rig.send({ n }));
    await service.processAll();
    expect(switchedTo(rig)).toEqual(ids);
    expect(await database.rows('select last_value from signals.inserts')).toEqual([{ last_value: '50' }]);
    expect(payloads).toEqual(new Set([undefined]));
  });

  it.each(
    casesOfRun(2, [
      ['has acknowledged them, as before a restore of the database', async () => {}],
      ['cannot store them', () => Promise.reject(new Error('cannot store'))],
      ['hangs', (released: Promise<void>) => released],
    ]),
  )('by the reader if a consumer %s', async (_, handle) => {
    const { rig } = test;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await startWith((bus) => ({
      consumeBatches: (consumer) => bus.consumeBatches(consumer, () => handle(released)),
    }));
    await rig.createSet(numbered);
    await rig.send({ n: 1 });
    await rig.bus.publish('signal.1', { id: 'x' }, { msgId: 'signal-2' });
    await rig.send({ n: 3 }, { id: 3 });
    await eventually(() => expect(switchedTo(rig)).toEqual([1, 3]));
    expect(await rig.storedIds()).toEqual([1, 3]);
    await eventually(async () =>
      expect(await rig.db.kysely.selectFrom('signals_set_aside').select('subject').execute()).toHaveLength(1),
    );
    release();
  });

  it.each(
    casesOfRun(1, [
      ['does not have the message any more', null],
      ['was made again and has another message', { msgId: 'signal-9' }],
    ]),
  )('also if SIGNALS %s when the reader fetches it', async (_, other) => {
    const { rig } = test;
    let isFirst = true;
    await startWith((bus) => ({
      consumeBatches: (consumer) => bus.consumeBatches(consumer, async () => {}),
      getMessage: async (...message) => {
        const isChanged = isFirst;
        isFirst = false;
        const found = await bus.getMessage(...message);
        return isChanged ? other && { ...found!, ...other } : found;
      },
    }));
    await rig.createSet(numbered);
    for (const n of [1, 2]) await rig.send({ n });
    await eventually(() => expect(switchedTo(rig)).toEqual([1, 2]));
    expect(await rig.storedIds()).toEqual([1, 2]);
    expect(rig.logged.some((line) => line.includes('SIGNALS no longer has message'))).toBe(true);
  });
});

describe('when the stream', () => {
  /** A service that has taken a signal; then the consumer stores others that no reader takes. */
  async function withUntaken(): Promise<RunsRig> {
    const { rig } = test;
    const service = await rig.start();
    const set = await rig.createSet(numbered);
    await rig.send({ n: 1 });
    await service.processAll();
    await rig.stop(service);
    // Without an enabled set, a service stores signals and reads none for runs.
    await sql`update action_sets set enabled = false where id = ${set}`.execute(rig.db.kysely);
    const storing = await rig.start();
    await rig.send({ n: 2 });
    await rig.send({ n: 0 }, { endpointId: 2 });
    await rig.send({ n: 3 });
    await storing.processAll();
    await rig.stop(storing);
    await sql`update action_sets set enabled = true where id = ${set}`.execute(rig.db.kysely);
    return rig;
  }

  it('was lost and made again, the stored signals are taken first', async () => {
    const rig = await withUntaken();
    await removeStream(inject('natsUrl'), `${rig.environment.YARDARM_PREFIX}_SIGNALS`);
    await rig.bus.ensureStreams(['SIGNALS']);
    for (const n of [4, 5, 6, 7, 8]) await rig.send({ n });
    const service = await rig.start();
    await eventually(() => expect(switchedTo(rig)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]));
    await service.processAll();
    expect((await rig.runs()).every(({ state }) => state === 'success')).toBe(true);
  });

  longTest('has dropped unread messages, the stored signals are taken first', async () => {
    const rig = await withUntaken();
    const expire = () => expireMessages(inject('natsUrl'), `${rig.environment.YARDARM_PREFIX}_SIGNALS`);
    await expire();
    await rig.send({ n: 4 });
    const service = await rig.start();
    await eventually(() => expect(switchedTo(rig)).toEqual([1, 2, 3, 4]));
    await expire();
    await rig.send({ n: 5 });
    await service.processAll();
    expect(switchedTo(rig)).toEqual([1, 2, 3, 4, 5]);
  });

  longTest('ends before the position, it is read again and no run is repeated', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet(numbered);
    for (const n of [1, 2, 3]) await rig.send({ n });
    await service.processAll();
    await rig.stop(service);
    // As after the loss of the newest messages: the next one has a sequence that was taken before.
    const { lastSequence } = await rig.bus.streamInfo('SIGNALS');
    await sql`update run_positions set last_sequence = ${lastSequence + 5}`.execute(rig.db.kysely);
    await rig.send({ n: 4 });
    await rig.start();
    await eventually(() => expect(switchedTo(rig)).toEqual([1, 2, 3, 4]));
  });
});

describe('of several replicas', () => {
  longTest('one takes the signals, and another continues when it stops', async () => {
    const { rig } = test;
    const [first, second] = [await rig.start(), await rig.start()];
    await rig.createSet(numbered);
    for (const n of [1, 2, 3]) await rig.send({ n });
    await first.processAll();
    await rig.stop(first);
    for (const n of [4, 5, 6]) await rig.send({ n });
    await second.processAll();
    expect(switchedTo(rig)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rig.called).toHaveLength(6);
  });

  it('that expect the same position one takes the signals, and the others read again', async () => {
    const { rig } = test;
    await rig.createSet();
    const expected = (await findPosition(rig.db.kysely, 1))!;
    const batch = {
      signals: [{ id: 1, sequence: 1, payload: '{}', createdAt: new Date().toISOString(), traceparent: null }],
      position: { ...expected, lastSequence: expected.lastSequence + 1 },
    };
    const leadership = { requireCurrent: async () => {} };
    const take = () => takeSignals({ db: rig.db, endpointId: 1 }, leadership, expected, batch);
    const results = await Promise.allSettled(Array.from({ length: 20 }, take));
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: { runs: 1, rest: [], position: batch.position } },
    ]);
    // The bus logs any other error as one that needs an operator.
    const codes = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(new Set(codes)).toEqual(new Set(['unavailable']));
    expect(await signalsRun(rig)).toEqual([1]);
  });
});

longTest('a set that is enabled while signals arrive has a run of every later signal', async () => {
  const { rig } = test;
  const service = await rig.start();
  await rig.createSet();
  const sent: number[] = [];
  // The number of signals is fixed. Else a slow machine would send more of them, each with a run of up to nine sets.
  const sendTen = async () => {
    for (let n = 0; n < 10; n += 1) sent.push(await rig.send());
  };
  const sets: { id: number; lastBefore: number }[] = [];
  for (let n = 0; n < 8; n += 1) {
    const sending = sendTen();
    const id = await rig.createSet();
    sets.push({ id, lastBefore: sent.length });
    await sending;
  }
  await service.processAll();
  const runs = await rig.runs();
  for (const { id, lastBefore } of sets) {
    const signalIds = new Set(runs.filter(({ setId }) => setId === id).map(({ signalId }) => signalId));
    // Sent after the answer that the set is enabled.
    expect(sent.slice(lastBefore + 1).filter((signalId) => !signalIds.has(signalId))).toEqual([]);
  }
});
