// The lifetimes of flag types.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const set = (id: string, lifetimeDays: number | null) =>
  rig.ask(contracts.updateFeatureTypeLifetime, { id, lifetimeDays });
const typeOf = async (id: string) =>
  (await rig.ask(contracts.listRevisions, {})).featureTypes.find((type) => type.id === id);

it('a lifetime is a number of days, and 0 and null are permanently', async () => {
  expect(await set('release', 7)).toMatchObject({ id: 'release', name: 'Release', lifetimeDays: 7 });
  expect(await typeOf('release')).toMatchObject({ lifetimeDays: 7 });
  expect(await set('release', 0)).toMatchObject({ lifetimeDays: null });
  expect(await set('release', null)).toMatchObject({ lifetimeDays: null });
  expect(await set('release', 40)).toMatchObject({ lifetimeDays: 40 });
  const events = (await rig.events()).filter(({ type }) => type === 'feature-type-updated');
  const days = ({ data, preData }: (typeof events)[number]) => [preData?.lifetimeDays, data?.lifetimeDays];
  expect(events.map(days)).toEqual([
    [40, 7],
    [7, null],
    [null, 40],
  ]);
  expect(events[0]).toMatchObject({ project: null, featureName: null, data: { id: 'release', name: 'Release' } });
});

it('a type that does not exist is not found, and the refusal names it', async () => {
  await expect(set('nope', 3)).rejects.toMatchObject({
    code: 'not-found',
    message: 'Could not find the feature type with ID "nope".',
  });
});

it.each([-1, 1.5, 2_147_483_648])('%j days are refused', async (days) => {
  await expect(set('release', days)).rejects.toMatchObject({ code: 'validation' });
});
