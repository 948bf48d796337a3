// An answered change is found by the search that follows at once and waits for the log; where nobody can say that the log holds it, the
// search is refused, and never answered without it.
import { createLogger } from '@yardarm/shared/log';
import { type CallResult, eventually, removeStream, startSystem, type TestSystem } from '@yardarm/testing';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  // A refusal comes when the request's time is over; less of it than the default makes that quick.
  // That EVENTS was lost is an error in the log, many times over.
  system = await startSystem({ REQUEST_TIMEOUT_MS: '4000' }, createLogger({ service: 'system', level: 'fatal' }));
  await create('own-write');
});

afterAll(() => system?.stop());

async function create(name: string): Promise<void> {
  const { status } = await system.call('POST', '/api/admin/projects/default/features', { body: { name } });
  expect(status).toBe(200);
}

async function describeAs(text: string): Promise<void> {
  const body = [{ op: 'replace', path: '/description', value: text }];
  const { status } = await system.call('PATCH', '/api/admin/projects/default/features/own-write', { body });
  expect(status).toBe(200);
}

const search = (body: object, query = '?waitFor=head'): Promise<CallResult> =>
  system.call('POST', `/api/admin/events/search${query}`, { body });

test('each of a hundred answered changes is found by the search that follows at once', async () => {
  for (let n = 0; n < 100; n++) {
    await describeAs(`change-${n}.`);
    expect(await search({ feature: 'own-write', query: `change-${n}.` })).toMatchObject({
      status: 200,
      body: { totalEvents: 1 },
    });
  }
});

test('so is what twenty write at once, each its own', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      await create(`own-write-${n}`);
      expect((await search({ feature: `own-write-${n}` })).body.totalEvents).toBe(1);
    }),
  );
});

test('while nobody publishes what flags did, the search is refused, naming it', async () => {
  // As a relay that hangs with the lease in its hands.
  await system.database.rows(
    `update flags.lease set epoch = epoch + 1, holder = null, expires_at = now() + interval '1 hour' where name = 'outbox-relay'`,
  );
  await create('held-back');
  const refused = await search({ feature: 'held-back' });
  expect(refused).toMatchObject({ status: 503, body: { message: expect.stringContaining('flags') } });
  expect((await search({ feature: 'held-back' }, '')).body.totalEvents).toBe(0);
  await system.database.rows(`update flags.lease set expires_at = now() where name = 'outbox-relay'`);
  await eventually(async () => expect((await search({ feature: 'held-back' })).body.totalEvents).toBe(1));
});

test('while EVENTS is lost and filled again, the search finds the change or is refused', async () => {
  for (let n = 0; n < 3; n++) {
    const feature = `survives-${n}`;
    const creating = create(feature);
    await removeStream(inject('natsUrl'), `${system.prefix}_EVENTS`);
    await creating;
    // Every service meets the new stream by itself, after pauses of seconds when it fails: on a busy machine that took more than twenty.
    // The first answer that is no refusal is held against the change: one without it would be wrong, however soon a right one follows.
    const answer = await eventually(async () => {
      const asked = await search({ feature });
      if (asked.status === 503) throw new Error(asked.body.message);
      return asked;
    }, 45_000);
    expect(answer).toMatchObject({ status: 200, body: { totalEvents: 1 } });
  }
}, 150_000);

test('with a service down that publishes, the search is refused and names it', async () => {
  await system.stopService('signals');
  const refused = await search({ feature: 'own-write' });
  expect(refused).toMatchObject({ status: 503, body: { message: expect.stringContaining('signals') } });
  expect((await search({ feature: 'own-write' }, '')).status).toBe(200);
});
