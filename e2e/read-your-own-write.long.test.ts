// A search that waits for the log finds every change that was answered before. If the system cannot ensure that the log
// has the change, it refuses the search instead of answering without the change.
import { createLogger } from '@yardarm/shared/log';
import { type CallResult, eventually, removeStream, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

beforeAll(async () => {
  // A search is refused at the request's deadline, so a short timeout makes the tests quick.
  // The loss of EVENTS is logged as an error many times, so only fatal entries are logged.
  system = await startSystem({ REQUEST_TIMEOUT_MS: '4000' }, createLogger({ service: 'system', level: 'fatal' }));
  await create('own-write');
});

afterAll(() => system?.stop());

async function create(name: string): Promise<void> {
  const { status } = await system.call('POST', '/api/admin/projects/default/features', { body: { name } });
  expect(status).toBe(201);
}

async function describeAs(text: string): Promise<void> {
  const body = [{ op: 'replace', path: '/description', value: text }];
  const { status } = await system.call('PATCH', '/api/admin/projects/default/features/own-write', { body });
  expect(status).toBe(200);
}

const search = (body: object, query = '?waitFor=head'): Promise<CallResult> =>
  system.call('POST', `/api/admin/events/search${query}`, { body });

/** In npm test some of them: each is a request of its own. */
const changes = 100;

test('each of many answered changes is found by the search that follows at once', async () => {
  for (let n = 0; n < changes; n++) {
    await describeAs(`change-${n}.`);
    expect(await search({ feature: 'own-write', query: `change-${n}.` })).toMatchObject({
      status: 200,
      body: { totalEvents: 1 },
    });
  }
});

test('each of twenty concurrent callers finds its own change', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      await create(`own-write-${n}`);
      expect((await search({ feature: `own-write-${n}` })).body.totalEvents).toBe(1);
    }),
  );
});

test('while no relay publishes the events of flags, the search is refused and names flags', async () => {
  // Simulates a relay that holds the lease and hangs.
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

test('while EVENTS is lost and published again, the search finds the change or is refused', async () => {
  for (let n = 0; n < 3; n++) {
    const feature = `survives-${n}`;
    const creating = create(feature);
    await removeStream(system.natsUrl, `${system.prefix}_EVENTS`);
    await creating;
    // Every service finds the new stream by itself, with pauses of seconds between failures. On a busy machine this
    // took more than twenty seconds. The first answer that is not a refusal must have the change.
    const answer = await eventually(async () => {
      const found = await search({ feature });
      if (found.status === 503) throw new Error(found.body.message);
      return found;
    }, 45_000);
    expect(answer).toMatchObject({ status: 200, body: { totalEvents: 1 } });
  }
}, 150_000);

test('with a publisher down, the search is refused and names it', async () => {
  await system.stopService('signals');
  const refused = await search({ feature: 'own-write' });
  expect(refused).toMatchObject({ status: 503, body: { message: expect.stringContaining('signals') } });
  expect((await search({ feature: 'own-write' }, '')).status).toBe(200);
});
