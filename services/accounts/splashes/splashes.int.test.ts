// Tests which splashes users have seen, over a real bus and Postgres.
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
  return { kind: 'user', id: await insertPerson(rig, { username }), username, grants: [] };
}

const see = (splashId: string, actor: Actor) => rig.ask(contracts.markSplashSeen, { splashId }, actor);
const seenBy = async (actor: Actor) => (await rig.ask(contracts.getMe, {}, actor)).splash;

it('is seen by the user who says so, once', async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  expect(await seenBy(ann)).toEqual({});
  for (const splashId of ['new-splash-screen', 'other', 'other', 'constructor']) {
    expect(await see(splashId, ann)).toEqual({ userId: ann.id, splashId, seen: true });
  }
  expect(await seenBy(ann)).toEqual({ 'new-splash-screen': true, other: true, constructor: true });
  expect(await seenBy(bob)).toEqual({});
});

it('is stored once when a user sees it in many windows at once', async () => {
  const ann = await addPerson();
  expect((await race(() => see('new-splash-screen', ann))).won).toBe(20);
  expect(await seenBy(ann)).toEqual({ 'new-splash-screen': true });
});

it('is refused beyond the limit, also by requests at once; those that were seen are answered still', async () => {
  const ann = await addPerson();
  const { maxSplashesPerUser } = contracts;
  for (let number = 3; number < maxSplashesPerUser; number += 1) await see(`splash-${number}`, ann);
  const { won, codes } = await race((racer) => see(`racer-${racer}`, ann));
  expect({ won, codes }).toEqual({ won: 3, codes: ['limit-exceeded'] });
  expect(Object.keys(await seenBy(ann))).toHaveLength(maxSplashesPerUser);
  expect(await see('splash-3', ann)).toMatchObject({ seen: true });
});

it.each(['', '__proto__', '../x', 'a b', 'x'.repeat(101), '<b>', '\u0000'])('has no name %j', async (splashId) => {
  const { code, message } = await refusal(see(splashId, await addPerson()));
  expect(code).toBe('validation');
  expect(message).toContain('.splashId ');
});

it('is not stored for an admin token and for a user who was deleted, whose splashes are deleted too', async () => {
  const ann = await addPerson();
  await see('new-splash-screen', ann);
  await rig.ask(contracts.deleteUser, { userId: ann.id });
  expect(await rig.rows('select * from accounts.seen_splashes where user_id = $1', [ann.id])).toEqual([]);
  for (const actor of [ann, admin]) expect(await refusal(see('other', actor))).toMatchObject({ code: 'forbidden' });
  expect(await seenBy(admin)).toEqual({});
});
