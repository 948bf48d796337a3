// Tests the request of integrations for the tag types of a provider.
import { ensureTagTypes } from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});

afterAll(() => rig?.stop());

const slack = { name: 'slack', description: 'A channel', icon: 'S' };
const datadog = { name: 'datadog', description: 'A tag', icon: 'D' };
const created = async () =>
  (await rig.events()).filter(({ type }) => type === 'tag-type-created').map(({ data }) => data);

it('missing types are made with an event each, however often they are asked for', async () => {
  await Promise.all(Array.from({ length: 10 }, () => rig.ask(ensureTagTypes, { tagTypes: [slack, datadog] })));
  const events = await created();
  expect(events).toHaveLength(2);
  expect(events).toEqual(
    expect.arrayContaining([
      { ...slack, color: null },
      { ...datadog, color: null },
    ]),
  );
});

it('an existing type stays as it is', async () => {
  await rig.ask(ensureTagTypes, { tagTypes: [{ ...slack, description: 'Another description' }] });
  const stored = await rig.db.kysely
    .selectFrom('tag_types')
    .select('description')
    .where('name', '=', 'slack')
    .execute();
  expect(stored).toEqual([{ description: slack.description }]);
  expect(await created()).toHaveLength(2);
});
