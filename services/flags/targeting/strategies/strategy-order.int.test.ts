// Proves the order of strategies, and what the end of the last enabled one does.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strategyCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

const projectId = 'default';
const environment = 'development';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, list, turnOn, lastEvents, revision } = strategyCalls(() => rig);

describe('the last enabled strategy', () => {
  const ways: [string, (one: Awaited<ReturnType<typeof newFlag>>['first']) => Promise<unknown>, string][] = [
    ['deleted', (one) => rig.ask(contracts.deleteStrategy, one), 'feature-strategy-remove'],
    [
      'updated',
      (one) => rig.ask(contracts.updateStrategy, { ...one, strategy: { disabled: true } }),
      'feature-strategy-update',
    ],
    [
      'patched',
      (one) =>
        rig.ask(contracts.patchStrategy, { ...one, operations: [{ op: 'replace', path: '/disabled', value: true }] }),
      'feature-strategy-update',
    ],
  ];

  it.each(ways)('%s away switches the flag off there', async (_, remove, type) => {
    const { first, featureName } = await newFlag({ name: 'default' }, { name: 'default', disabled: true });
    await turnOn(featureName);
    await remove(first);
    const events = await lastEvents(featureName, 2);
    expect(events.map((event) => [event.type, event.environment])).toEqual([
      [type, environment],
      ['feature-environment-disabled', environment],
    ]);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
    expect(environments.map(({ enabled }) => enabled)).toEqual([false, false]);
  });

  it.each(ways)('another one that is %s away leaves the flag on', async (_, remove, type) => {
    const { first, featureName } = await newFlag({ name: 'default' }, { name: 'default' });
    await turnOn(featureName);
    await remove(first);
    expect((await lastEvents(featureName, 1))[0]?.type).toBe(type);
    const { environments } = await rig.ask(contracts.getFeature, { projectId, featureName });
    expect(environments[0]?.enabled).toBe(true);
  });
});

describe('the order', () => {
  it('changes with one event of the ids before and after', async () => {
    const { place, featureName, ids } = await newFlag({ name: 'default' }, { name: 'userWithId' });
    const before = await revision();
    await rig.ask(contracts.setStrategyOrder, { ...place, order: [{ id: ids[0]!, sortOrder: 9 }] });
    const [event] = await lastEvents(featureName, 1);
    const [data, preData] = [{ strategyIds: [ids[1], ids[0]] }, { strategyIds: ids }];
    expect(event).toMatchObject({ type: 'strategy-order-changed', environment, data, preData });
    expect((await list(place)).map(({ sortOrder }) => sortOrder)).toEqual([1, 9]);
    expect(await revision()).toBe(before + 1);
  });

  it('has no event when other numbers leave it as it is', async () => {
    const { place, featureName, ids } = await newFlag({ name: 'default' }, { name: 'userWithId' });
    const before = await lastEvents(featureName, 1);
    const order = ids.map((id, index) => ({ id, sortOrder: 5 + index }));
    await rig.ask(contracts.setStrategyOrder, { ...place, order });
    expect((await list(place)).map(({ sortOrder }) => sortOrder)).toEqual([5, 6]);
    expect(await lastEvents(featureName, 1)).toEqual(before);
  });

  it('names a strategy that is not there, and then changes nothing', async () => {
    const { place, ids } = await newFlag({ name: 'default' });
    const order = [
      { id: ids[0]!, sortOrder: 3 },
      { id: 'nowhere', sortOrder: 1 },
    ];
    await expect(rig.ask(contracts.setStrategyOrder, { ...place, order })).rejects.toMatchObject({
      ...{ code: 'bad-data', message: expect.stringContaining('[1].id property names no strategy') },
    });
    expect((await list(place)).map(({ sortOrder }) => sortOrder)).toEqual([0]);
  });
});
