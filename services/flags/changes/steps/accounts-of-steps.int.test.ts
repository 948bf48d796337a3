// Proves that flags asks accounts who does a step and what that account may do now, whatever the request claims.
import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { admin, contextOf, type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { bot, type SentStep, stepCalls } from '../../testing/step-calls.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
beforeEach(() => {
  rig.accounts.actors.set(bot.id, bot);
});
afterEach(() => {
  rig.accounts.beforeAnswer = async () => {};
});
afterAll(() => rig?.stop());

const { newFlag } = flagCalls(() => rig);
const { countStored } = stepCalls(() => rig);

const on = (featureName: string): SentStep => ({
  action: 'TOGGLE_FEATURE_ON',
  parameters: { project: 'default', environment: 'production', featureName },
});

/** As a sender that claims to act for `actor`. */
const send = (input: { stepId: string; step: SentStep; serviceAccountId?: number }, actor: Actor | null) =>
  rig.ask(contracts.executeStep, input, actor);

const creatorsOf = async (name: string) => (await rig.events(name)).map(({ createdBy }) => createdBy);

it('the grants of a request do not count, and those of accounts do', async () => {
  const [name, stepId] = [await newFlag(), randomUUID()];
  rig.accounts.actors.set(bot.id, { ...bot, grants: [] });
  for (const claimed of [admin, { ...bot, grants: admin.grants }]) {
    const refused = send({ stepId: randomUUID(), step: on(name), serviceAccountId: bot.id }, claimed);
    await expect(refused).rejects.toMatchObject({
      code: 'no-access',
      message: expect.stringContaining('UPDATE_FEATURE'),
    });
  }
  rig.accounts.actors.set(bot.id, bot);
  await send({ stepId, step: on(name), serviceAccountId: bot.id }, { ...admin, username: 'forged' });
  expect((await creatorsOf(name)).slice(1)).toEqual(['bot', 'bot']);
});

it('signals of the release before names the account as the actor, and no one else does a step', async () => {
  const [name, stepId] = [await newFlag(), randomUUID()];
  for (const claimed of [admin, { ...admin, kind: 'user' as const, id: bot.id }, null]) {
    const refused = send({ stepId, step: on(name) }, claimed);
    await expect(refused).rejects.toMatchObject({ code: 'no-access', message: 'Only a service account does steps.' });
  }
  expect(await countStored(stepId)).toBe(0);
  expect((await send({ stepId, step: on(name) }, { ...bot, username: 'forged', grants: [] })).details).toMatch(
    /^Switched/,
  );
  expect((await creatorsOf(name)).slice(1)).toEqual(['bot', 'bot']);
});

it('a step of an account that does not exist is refused, and has the outcome of an earlier delivery', async () => {
  const [name, done, refused] = [await newFlag(), randomUUID(), randomUUID()];
  const first = await send({ stepId: done, step: on(name), serviceAccountId: bot.id }, null);
  rig.accounts.actors.delete(bot.id);
  expect(await send({ stepId: done, step: on(name), serviceAccountId: bot.id }, null)).toEqual(first);
  const late = send({ stepId: refused, step: on(name), serviceAccountId: bot.id }, null);
  await expect(late).rejects.toMatchObject({ code: 'no-access' });
});

it('while accounts fails or hangs a step is unavailable and has no outcome', async () => {
  const [name, stepId] = [await newFlag(), randomUUID()];
  const input = { stepId, step: on(name), serviceAccountId: bot.id };
  rig.accounts.beforeAnswer = async () => {
    throw new AppError('unavailable', 'Not now.');
  };
  await expect(send(input, null)).rejects.toMatchObject({ code: 'unavailable' });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  rig.accounts.beforeAnswer = () => released;
  const hanging = rig.bus.request(contracts.executeStep, input, { ...contextOf(null), deadline: Date.now() + 1_000 });
  await expect(hanging).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('nothing was done'),
  });
  release();
  expect(await countStored(stepId)).toBe(0);
  expect((await send(input, null)).details).toMatch(/^Switched/);
});
