// Proves how runs are executed, on a real Postgres and bus: their order, states, retries and ends.
import { sql } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import { casesOfRun, eventually, longTest } from '@yardarm/testing';
import { describe, expect, it } from 'vitest';
import { actorId, runsRig, serviceAccount } from '../testing/runs-rig.ts';

const test = runsRig();
const refuse = (code: ConstructorParameters<typeof AppError>[0], message: string) => {
  throw new AppError(code, message);
};

describe('a run', () => {
  it('calls its steps in order in the name of the service account, and is listed with their details', async () => {
    const { rig } = test;
    const service = await rig.start();
    const setId = await rig.createSet({ flags: ['a', 'b', 'c'] });
    const signalId = await rig.send({ alert: 'disk' });
    await service.processAll();
    expect(rig.called.map(({ step }) => step)).toEqual(
      ['a', 'b', 'c'].map((featureName) => ({
        action: 'TOGGLE_FEATURE_ON',
        parameters: { project: 'default', environment: 'production', featureName },
      })),
    );
    expect(rig.called.map(({ actor }) => actor)).toEqual(Array(3).fill(serviceAccount(actorId)));
    expect(new Set(rig.called.map(({ stepId }) => stepId)).size).toBe(3);
    expect(await rig.listed(setId)).toMatchObject([
      {
        ...{ actionSetId: setId, signalId, state: 'success' },
        signal: { id: signalId, sourceId: 1, payload: { alert: 'disk' } },
        actionSet: {
          id: setId,
          actions: ['a', 'b', 'c'].map((flag) => ({ state: 'success', details: `switched ${flag} on` })),
        },
      },
    ]);
  });

  it('fails with a step that is refused, and its later steps never start', async () => {
    const { rig } = test;
    const service = await rig.start();
    const setId = await rig.createSet({ flags: ['a', 'b', 'c'] });
    // The role is revoked while the first step is called.
    rig.answer = ({ actor }, flag) => {
      if (flag === 'a') rig.actors.set(actorId, serviceAccount(actorId, []));
      else if (actor?.grants[0]?.permissions.length === 0)
        refuse('no-access', 'You need "UPDATE_FEATURE_ENVIRONMENT".');
    };
    await rig.send();
    await service.processAll();
    const [run] = await rig.listed(setId);
    expect(run).toMatchObject({
      state: 'failed',
      actionSet: {
        actions: [
          { state: 'success' },
          { state: 'failed', details: 'You need "UPDATE_FEATURE_ENVIRONMENT".' },
          { state: 'not started', details: null },
        ],
      },
    });
    expect(rig.switched).toEqual(['a']);
    expect(rig.called).toHaveLength(2);
  });

  it.each([
    ['whose service account does not exist', { actorId: 99 }, 'The service account 99 does not exist.'],
    ['whose parameter is not in the payload', { flags: ['{{payload.flag}}'] }, 'payload.flag'],
  ])('%s fails with that reason and calls nothing', async (_, set, reason) => {
    const { rig } = test;
    const service = await rig.start();
    const setId = await rig.createSet(set);
    await rig.send();
    await service.processAll();
    const [run] = await rig.listed(setId);
    const failed = { state: 'failed', details: expect.stringContaining(reason) };
    expect(run).toMatchObject({ state: 'failed', actionSet: { actions: [failed] } });
    expect(rig.called).toEqual([]);
  });

  longTest('follows the earlier runs of its endpoint', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet({ flags: ['{{payload.flag}}', 'x'] });
    await rig.createSet({ flags: ['y'] });
    for (const flag of ['a', 'b', 'c']) await rig.send({ flag });
    await service.processAll();
    expect(rig.switched).toEqual(['a', 'x', 'y', 'b', 'x', 'y', 'c', 'x', 'y']);
  });
});

describe('a step that is not answered', () => {
  it('because flags is unavailable is not started meanwhile, and is called again', async () => {
    const { rig } = test;
    const service = await rig.start();
    const setId = await rig.createSet();
    rig.answer = () => refuse('unavailable', 'flags is away');
    await rig.send();
    await eventually(async () =>
      expect(await rig.listed(setId)).toMatchObject([
        { state: 'started', actionSet: { actions: [{ state: 'not started', details: 'flags is away' }] } },
      ]),
    );
    rig.answer = () => undefined;
    await eventually(() => expect(rig.switched).toEqual(['flag']));
    await service.processAll();
    expect(await rig.runs()).toMatchObject([{ state: 'success', steps: ['success'] }]);
    expect(new Set(rig.called.map(({ stepId }) => stepId)).size).toBe(1);
  });

  it.each(casesOfRun(1, ['timeout', 'internal'] as const))(
    '(%s) stays started and is called again with its id',
    async (code) => {
      const { rig } = test;
      const service = await rig.start();
      await rig.createSet();
      rig.answer = () => refuse(code, 'No answer.');
      await rig.send();
      await eventually(() => expect(rig.called).toHaveLength(1));
      expect(await rig.runs()).toMatchObject([{ state: 'started', steps: ['started'] }]);
      // The known outcome of a later attempt says nothing about the first one.
      rig.answer = () => refuse('unavailable', 'flags is away');
      await rig.passRetryTime();
      await eventually(() => expect(rig.called.length).toBeGreaterThan(1));
      expect(await rig.runs()).toMatchObject([{ state: 'started', steps: ['started'] }]);
      rig.answer = () => undefined;
      await rig.passRetryTime();
      await eventually(() => expect(rig.switched).toEqual(['flag']));
      await service.processAll();
      expect(await rig.runs()).toMatchObject([{ state: 'success', steps: ['success'] }]);
      expect(new Set(rig.called.map(({ stepId }) => stepId)).size).toBe(1);
    },
  );

  longTest('fails when the time for retries has passed, and the next run begins', async () => {
    const { rig } = test;
    const service = await rig.start();
    await rig.createSet({ flags: ['{{payload.flag}}'] });
    rig.answer = (_, flag) => flag === 'a' && refuse('unavailable', 'flags is away');
    await rig.send({ flag: 'a' });
    await rig.send({ flag: 'b' });
    await eventually(async () =>
      expect(await rig.runs()).toMatchObject([{ steps: ['not started'] }, { state: 'waiting' }]),
    );
    await eventually(() => expect(rig.called.length).toBeGreaterThan(0));
    await eventually(async () => {
      await rig.passRetryLimit();
      expect(await rig.runs()).toMatchObject([{ state: 'failed', steps: ['failed'] }, { state: 'success' }]);
    });
    await service.processAll();
    expect(rig.switched).toEqual(['b']);
  });

  longTest('is also one whose actor cannot be resolved', async () => {
    const { rig } = test;
    await rig.start();
    const setId = await rig.createSet();
    const away = rig.actors.get.bind(rig.actors);
    rig.actors.get = () => refuse('unavailable', 'accounts is away');
    await rig.send();
    await eventually(async () =>
      expect(await rig.listed(setId)).toMatchObject([{ actionSet: { actions: [{ details: 'accounts is away' }] } }]),
    );
    expect(await rig.runs()).toMatchObject([{ state: 'waiting', steps: ['not started'] }]);
    rig.actors.get = away;
    await eventually(async () => expect(await rig.runs()).toMatchObject([{ state: 'success' }]));
  });

  it.each(
    casesOfRun(1, [
      ['has the outcome of its first call', true, { state: 'success', details: 'switched flag on' }],
      [
        'fails without an effect',
        false,
        { state: 'failed', details: `The service account ${actorId} does not exist. You need a permission.` },
      ],
    ]),
  )('and whose actor is deleted meanwhile is called again and %s', async (_, takesEffect, expected) => {
    const { rig } = test;
    const first = await rig.start();
    const setId = await rig.createSet();
    const { promise: released, resolve: release, reject: refuseLater } = Promise.withResolvers<void>();
    rig.answer = () => released;
    await rig.send();
    await eventually(() => expect(rig.called).toHaveLength(1));
    await rig.stop(first);
    expect(await rig.runs()).toMatchObject([{ state: 'started', steps: ['started'] }]);
    if (takesEffect) release();
    else refuseLater(new AppError('unavailable', 'flags is stopping'));
    await eventually(() => expect(rig.switched).toHaveLength(takesEffect ? 1 : 0));
    rig.actors.delete(actorId);
    rig.answer = ({ actor }) =>
      !takesEffect && actor?.grants.length === 0 && refuse('no-access', 'You need a permission.');
    const second = await rig.start();
    await second.processAll();
    expect(await rig.listed(setId)).toMatchObject([{ actionSet: { actions: [expected] } }]);
    expect(new Set(rig.called.map(({ stepId }) => stepId)).size).toBe(1);
    expect(rig.called.map(({ actor }) => [actor?.id, actor?.grants.length])).toEqual([
      [actorId, 1],
      [actorId, 0],
    ]);
    expect(rig.switched).toHaveLength(takesEffect ? 1 : 0);
  });

  it('because its leader lost the lease meanwhile has no outcome, and the next leader calls it again', async () => {
    const { rig } = test;
    await rig.start();
    await rig.createSet();
    const seen: unknown[] = [];
    rig.answer = async () => {
      seen.push((await rig.runs())[0]?.steps);
      if (seen.length > 1) return;
      // As if another replica had held the lease and released it.
      await sql`
        update lease set epoch = epoch + 1, holder = null, expires_at = clock_timestamp()
        where name = 'runs-1'`.execute(rig.db.kysely);
    };
    await rig.send();
    await eventually(async () => expect(await rig.runs()).toMatchObject([{ state: 'success' }]));
    // Until the lease is found to be lost, the leader may call again itself.
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual(seen.map(() => ['started']));
    expect(rig.switched).toEqual(['flag']);
  });

  longTest('delays no other endpoint', async () => {
    const { rig } = test;
    await rig.start();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    rig.answer = (_, flag) => (flag === 'slow' ? released : undefined);
    await rig.createSet({ endpointId: 1, flags: ['slow'] });
    await rig.createSet({ endpointId: 2, flags: ['{{payload.flag}}'] });
    await rig.send({}, { endpointId: 1 });
    await eventually(() => expect(rig.called).toHaveLength(1));
    for (const flag of ['a', 'b', 'c']) await rig.send({ flag }, { endpointId: 2 });
    await eventually(() => expect(rig.switched).toEqual(['a', 'b', 'c']));
    // The outcome of a step is stored after its call.
    await eventually(async () =>
      expect(await rig.runs()).toMatchObject([{ state: 'started' }, ...Array(3).fill({ state: 'success' })]),
    );
    release();
    await eventually(() => expect(rig.switched).toEqual(['a', 'b', 'c', 'slow']));
  });
});

longTest('a list has pages, newest first, and is refused for a set of another project', async () => {
  const { rig } = test;
  const service = await rig.start();
  const setId = await rig.createSet();
  const ids = [];
  for (let n = 0; n < 30; n += 1) ids.push(await rig.send());
  await service.processAll();
  const signalIds = async (limit: number, offset: number) =>
    (await rig.listed(setId, { limit, offset })).map(({ signalId }) => signalId);
  expect(await signalIds(1_000, 0)).toEqual(ids.toReversed());
  expect(await signalIds(3, 2)).toEqual(ids.toReversed().slice(2, 5));
  expect(await signalIds(3, 30)).toEqual([]);
  await expect(rig.listed(setId + 1)).rejects.toMatchObject({ code: 'not-found' });
});
