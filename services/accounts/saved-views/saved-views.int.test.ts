// Tests the views of flags that users save, over a real bus and Postgres.
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccountsRig, admin, race, refusal, startAccountsRig } from '../testing/accounts-rig.ts';
import { insertPerson } from '../testing/people.ts';

let rig: AccountsRig;

beforeAll(async () => {
  rig = await startAccountsRig();
});
afterAll(() => rig?.stop());

let people = 0;
async function addPerson(): Promise<Actor> {
  people += 1;
  const username = `person-${people}`;
  return { kind: 'user', id: await insertPerson(rig, { username, password: null }), username, grants: [] };
}

const stale = { name: 'Stale', query: 'state=stale' };
const save = (actor: Actor, view: { name: string; query?: string; project?: string | null }) =>
  rig.ask(contracts.createSavedView, { query: '', ...view }, actor);
const viewsOf = async (actor: Actor) => (await rig.ask(contracts.listSavedViews, {}, actor)).views;

it('is saved, listed by name, replaced and deleted by its user', async () => {
  const ann = await addPerson();
  const made = await save(ann, stale);
  expect(made).toMatchObject({ ...stale, project: null });
  const live = await save(ann, { name: 'Live', project: 'shop', query: 'status=production%3Aenabled&q=a+b' });
  expect(await viewsOf(ann)).toEqual([live, made]);
  const replaced = { id: live.id, name: 'Zero', project: null, query: '' };
  expect(await rig.ask(contracts.updateSavedView, { ...replaced }, ann)).toEqual({ ...live, ...replaced });
  expect(await viewsOf(ann)).toEqual([made, { ...live, ...replaced }]);
  await rig.ask(contracts.deleteSavedView, { id: made.id }, ann);
  expect((await viewsOf(ann)).map(({ id }) => id)).toEqual([live.id]);
});

it('is of no other user, who may save another one under its name', async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const { id } = await save(ann, stale);
  expect(await viewsOf(bob)).toEqual([]);
  const tries = [
    rig.ask(contracts.updateSavedView, { id, ...stale, name: 'Taken over' }, bob),
    rig.ask(contracts.deleteSavedView, { id }, bob),
    rig.ask(contracts.deleteSavedView, { id: 2 ** 40 }, ann),
  ];
  for (const { code } of await Promise.all(tries.map(refusal))) expect(code).toBe('not-found');
  await save(bob, stale);
  expect(await viewsOf(ann)).toMatchObject([stale]);
});

it('has a name of its own, also when it is saved in many windows at once', async () => {
  const ann = await addPerson();
  expect(await race(() => save(ann, stale))).toEqual({ won: 1, codes: ['name-exists'] });
  const others = await Promise.all(['a', 'b', 'c'].map((name) => save(ann, { name })));
  const renamings = await Promise.allSettled(
    others.map(({ id }) => rig.ask(contracts.updateSavedView, { id, query: '', name: 'One' }, ann)),
  );
  expect(renamings.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await refusal(save(ann, stale))).toEqual({
    code: 'name-exists',
    message: 'You have already saved a view with the name "Stale".',
  });
});

it('is refused beyond the limit, also by requests at once', async () => {
  const ann = await addPerson();
  const { maxSavedViews } = contracts;
  for (let number = 3; number < maxSavedViews; number += 1) await save(ann, { name: `View ${number}` });
  expect(await race((racer) => save(ann, { name: `Racer ${racer}` }))).toEqual({ won: 3, codes: ['limit-exceeded'] });
  const views = await viewsOf(ann);
  expect(views).toHaveLength(maxSavedViews);
  const renamed = { ...views[0]!, name: 'Renamed' };
  expect(await rig.ask(contracts.updateSavedView, renamed, ann)).toEqual(renamed);
});

it.each([
  ['name', ' '],
  ['name', 'x'.repeat(101)],
  ['project', 'x'.repeat(101)],
  ['query', '?state=stale'],
  ['query', 'q=a b'],
  ['query', 'q=1#top'],
  ['query', 'q=%x'],
  ['query', `q=${'x'.repeat(1_999)}`],
])('has no %s %j', async (property, value) => {
  const { code, message } = await refusal(save(await addPerson(), { ...stale, [property]: value }));
  expect([code, message]).toEqual(['validation', expect.stringContaining(`.${property} `)]);
});

it('is not stored for an admin token and for a user who was deleted, whose views are deleted too', async () => {
  const ann = await addPerson();
  const { id } = await save(ann, stale);
  await rig.ask(contracts.deleteUser, { userId: ann.id });
  expect(await rig.rows('select * from accounts.saved_views where user_id = $1', [ann.id])).toEqual([]);
  const tries = [
    ...[save(ann, stale), save(admin, stale), rig.ask(contracts.listSavedViews, {}, admin)],
    rig.ask(contracts.updateSavedView, { id, ...stale }, admin),
    rig.ask(contracts.deleteSavedView, { id }, admin),
  ];
  for (const { code } of await Promise.all(tries.map(refusal))) expect(code).toBe('forbidden');
});
