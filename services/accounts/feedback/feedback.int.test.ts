// Tests what users answer to questions of the console, over a real bus and Postgres.
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

const given = '2026-01-31T12:00:00.000Z';
let people = 0;
async function addPerson(): Promise<Actor> {
  people += 1;
  const username = `person-${people}`;
  return { kind: 'user', id: await insertPerson(rig, { username }), username, grants: [] };
}

type Answer = { neverShow?: boolean; given?: string | null };
const store = (feedbackId: string, actor: Actor, answer: Answer = {}) =>
  rig.ask(contracts.storeFeedback, { feedbackId, ...answer }, actor);
const feedbackOf = async (actor: Actor) => (await rig.ask(contracts.getMe, {}, actor)).feedback;

it('is stored for the user who gives it, and what is not sent stays', async () => {
  const [ann, bob] = [await addPerson(), await addPerson()];
  const first = { userId: ann.id, feedbackId: 'segments', neverShow: false, given: null };
  expect(await store('segments', ann)).toEqual(first);
  expect(await store('segments', ann, { neverShow: true })).toEqual({ ...first, neverShow: true });
  const after = { ...first, neverShow: true, given };
  expect(await store('segments', ann, { given: '2026-01-31T12:00:00Z' })).toEqual(after);
  expect(await store('segments', ann)).toEqual(after);
  expect(await feedbackOf(ann)).toEqual([after]);
  expect(await feedbackOf(bob)).toEqual([]);
  expect(await store('segments', ann, { neverShow: false, given: null })).toEqual(first);
});

it.each(['9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00', '2026-13-01T00:00:00Z', 'today'])(
  'is not given at %s',
  async (wrong) => {
    const ann = await addPerson();
    const { code, message } = await refusal(store('segments', ann, { given: wrong }));
    expect([code, message]).toEqual(['validation', expect.stringContaining('.given')]);
    expect(await feedbackOf(ann)).toEqual([]);
  },
);

it('is refused beyond the limit, also by requests at once; what was stored can be changed still', async () => {
  const ann = await addPerson();
  const { maxFeedbackPerUser } = contracts;
  for (let number = 3; number < maxFeedbackPerUser; number += 1) await store(`question-${number}`, ann);
  const { won, codes } = await race((racer) => store(`racer-${racer}`, ann));
  expect({ won, codes }).toEqual({ won: 3, codes: ['limit-exceeded'] });
  expect(await feedbackOf(ann)).toHaveLength(maxFeedbackPerUser);
  expect(await store('question-3', ann, { given })).toMatchObject({ given });
});

it('is not stored for an admin token and for a user who was deleted, whose feedback is deleted too', async () => {
  const ann = await addPerson();
  await store('segments', ann);
  await rig.ask(contracts.deleteUser, { userId: ann.id });
  expect(await rig.rows('select * from accounts.feedback where user_id = $1', [ann.id])).toEqual([]);
  for (const actor of [ann, admin]) expect(await refusal(store('x', actor))).toMatchObject({ code: 'forbidden' });
  expect(await feedbackOf(admin)).toEqual([]);
});
