// During the upgrade, replicas of the previous version run beside those of this one. A trigger stands in for them: it
// removes what they do not write from the runs that connections with the name `previous` insert.
import { randomUUID } from 'node:crypto';
import { eventually } from '@yardarm/testing';
import { beforeEach, expect, it } from 'vitest';
import { runsRig } from '../testing/runs-rig.ts';

const test = runsRig();

beforeEach(async () => {
  await test.database.rows(`
    create function signals.remove_new_columns() returns trigger language plpgsql as $$
    begin
      new.disables := null;
      new.project_created_at := null;
      return new;
    end $$`);
  await test.database.rows(`
    create trigger previous_version before insert on signals.action_runs
    for each row when (current_setting('application_name') = 'previous')
    execute function signals.remove_new_columns()`);
});

const startPrevious = () => {
  const url = new URL(test.rig.environment.DATABASE_URL!);
  url.searchParams.set('application_name', 'previous');
  return test.rig.start({ DATABASE_URL: url.href });
};

it('an upgrade and its return lose no signal, repeat no step and keep the order', async () => {
  const { rig, database } = test;
  await rig.createSet({ flags: ['{{payload.n}}'] });
  let n = 0;
  const sendTen = async () => {
    for (let sent = 0; sent < 10; sent += 1) {
      n += 1;
      await rig.send({ n });
    }
  };
  const before = await startPrevious();
  await sendTen();
  await eventually(() => expect(rig.switched.length).toBeGreaterThan(2));
  const after = await rig.start();
  await sendTen();
  await rig.stop(before);
  await sendTen();
  await after.processAll();
  const again = await startPrevious();
  await sendTen();
  await rig.stop(after);
  await sendTen();
  await again.processAll();

  const numbers = Array.from({ length: n }, (_, index) => `${index + 1}`);
  expect(rig.switched).toEqual(numbers);
  const runs = await rig.runs();
  expect(runs.map(({ signalId, state }) => [`${signalId}`, state])).toEqual(numbers.map((id) => [id, 'success']));
  const versions = await database.rows('select distinct disables from signals.action_runs order by disables');
  expect(versions).toEqual([{ disables: 0 }, { disables: null }]);
});

it.each([
  ['goes on when its set is edited', 'success', (setId: number) => test.rig.replaceActions(setId, ['c'])],
  ['is failed by a disable', 'failed', (setId: number) => test.rig.switchSet(setId, false)],
  [
    'is failed by a disable after which the set is enabled again',
    'failed',
    async (setId: number) => {
      await test.rig.switchSet(setId, false);
      await test.rig.switchSet(setId, true);
    },
  ],
])('a run of the previous version %s', async (_, state, change) => {
  const { rig } = test;
  const previous = await startPrevious();
  const setId = await rig.createSet({ flags: ['a', 'b'] });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  rig.answer = () => released;
  await rig.send();
  await eventually(() => expect(rig.called).toHaveLength(1));
  await change(setId);
  await rig.stop(previous);
  release();
  const service = await rig.start();
  await service.processAll();
  expect(await rig.runs()).toMatchObject([{ state }]);
  expect(rig.switched).toEqual(state === 'success' ? ['a', 'b'] : ['a']);
});

it('a signal of a gateway of the previous version, whose payload is parsed, runs its sets', async () => {
  const { rig } = test;
  const service = await rig.start();
  await rig.createSet({ flags: ['{{payload.flag}}'] });
  const signal = { id: 1, source: 'signal-endpoint', sourceId: 1, createdBySourceTokenId: 1, payload: { flag: 'a' } };
  const createdAt = new Date().toISOString();
  await rig.bus.publish('signal.1', { ...signal, createdAt }, { msgId: randomUUID() });
  await service.processAll();
  expect(rig.switched).toEqual(['a']);
});
