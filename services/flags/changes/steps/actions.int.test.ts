// Proves what each action changes: the flag, its events with their actor, and the revision of its environment.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { bot, type SentStep, stepCalls } from '../../testing/step-calls.ts';

const project = 'default';
const environment = 'production';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag, get, add, revisions } = flagCalls(() => rig);
const { execute } = stepCalls(() => rig);

const place = (featureName: string) => ({ project, environment, featureName });
const stateOf = async (featureName: string) =>
  (await get(featureName)).environments.find(({ name }) => name === environment)!;

/** The types of the events, the rise of the revision in the environment, and the sentence. */
async function effectOf(step: SentStep) {
  const [events, before] = [(await rig.events()).length, await revisions()];
  const details = await execute(step);
  const emitted = (await rig.events()).slice(events);
  for (const event of emitted) expect(event).toMatchObject({ createdBy: 'bot', createdByUserId: bot.id, project });
  const after = await revisions();
  const stale = step.action === 'MARK_STALE' ? 1 : 0;
  expect(after.development - before.development).toBe(emitted.length > 0 ? stale : 0);
  return { types: emitted.map(({ type }) => type), raised: after.production - before.production, details };
}

describe('a flag', () => {
  it('is switched on and off, each once', async () => {
    const name = await newFlag();
    const on = { action: 'TOGGLE_FEATURE_ON' as const, parameters: place(name) };
    const off = { action: 'TOGGLE_FEATURE_OFF' as const, parameters: place(name) };
    expect(await effectOf(on)).toEqual({
      types: ['feature-strategy-add', 'feature-environment-enabled'],
      raised: 1,
      details: `Switched the feature "${name}" on in the environment "production".`,
    });
    expect((await stateOf(name)).enabled).toBe(true);
    expect(await effectOf(on)).toEqual({
      ...{ types: [], raised: 0 },
      details: `No change: the feature "${name}" is already on in the environment "production".`,
    });
    expect(await effectOf(off)).toMatchObject({ types: ['feature-environment-disabled'], raised: 1 });
    expect((await stateOf(name)).enabled).toBe(false);
    expect(await effectOf(off)).toMatchObject({ types: [], raised: 0 });
  });

  it('is marked as stale, once', async () => {
    const name = await newFlag();
    const step = { action: 'MARK_STALE' as const, parameters: { project, featureName: name } };
    expect(await effectOf(step)).toEqual({
      ...{ types: ['feature-stale-on'], raised: 1 },
      details: `Marked the feature "${name}" as stale.`,
    });
    expect((await get(name)).stale).toBe(true);
    expect(await effectOf(step)).toMatchObject({
      ...{ types: [], raised: 0 },
      details: `No change: the feature "${name}" is already stale.`,
    });
  });
});

describe('the flags with a tag', () => {
  const tag = { type: 'simple', value: 'a:b' };
  const parameters = { project, environment, tag: 'simple:a:b' };

  it('are switched together, without archived ones, those of other projects, and those with other tags', async () => {
    expect(await effectOf({ action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters })).toEqual({
      ...{ types: [], raised: 0 },
      details: 'No change: the project "default" has no flag with the tag "simple:a:b".',
    });
    await rig.ask(contracts.createProject, { id: 'other', name: 'Other' });
    const [on, off, archived, untagged] = [
      ...[await newFlag({ tags: [tag] }), await newFlag({ tags: [tag] })],
      ...[await newFlag({ tags: [tag] }), await newFlag({ tags: [{ ...tag, value: 'a:c' }] })],
    ];
    await rig.ask(contracts.createFeature, { projectId: 'other', name: 'elsewhere', tags: [tag] });
    await rig.ask(contracts.archiveFeature, { projectId: project, featureName: archived! });
    await execute({ action: 'TOGGLE_FEATURE_ON', parameters: place(on!) });
    expect(await effectOf({ action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters })).toEqual({
      types: ['feature-strategy-add', 'feature-environment-enabled'],
      raised: 1,
      details: 'Switched 1 of 2 flags with the tag "simple:a:b" on in the environment "production".',
    });
    expect(await effectOf({ action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters })).toMatchObject({
      details: 'No change: 2 flags with the tag "simple:a:b" already on in the environment "production".',
    });
    expect(await effectOf({ action: 'TOGGLE_FEATURES_OFF_BY_TAG', parameters })).toEqual({
      types: ['feature-environment-disabled', 'feature-environment-disabled'],
      raised: 1,
      details: 'Switched 2 flags with the tag "simple:a:b" off in the environment "production".',
    });
    for (const name of [on!, off!, untagged!]) expect((await stateOf(name)).enabled).toBe(false);
    const types = (await rig.events('elsewhere')).map(({ type }) => type);
    expect(types).toEqual(['feature-created']);
  });

  it('are at most 5,000, and with one more none is switched', async () => {
    const crowded = { type: 'simple', value: 'crowded' };
    await rig.ask(contracts.createTag, crowded);
    const { kysely } = rig.db;
    await sql`
      insert into features (name, project, type, impression_data, created_by_user_id)
      select 'crowd-' || n, ${project}, 'release', false, 1 from generate_series(1, 5001) as n`.execute(kysely);
    await sql`
      insert into feature_environments (feature_name, environment, project, enabled)
      select name, environment, ${project}, true
      from features cross join unnest(array['development', 'production']) as environment
      where name like 'crowd-%'`.execute(kysely);
    await sql`
      insert into feature_tags (feature_name, type, value)
      select name, ${crowded.type}, ${crowded.value} from features where name like 'crowd-%'`.execute(kysely);
    const step = {
      action: 'TOGGLE_FEATURES_OFF_BY_TAG' as const,
      parameters: { ...parameters, tag: 'simple:crowded' },
    };
    await expect(effectOf(step)).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('at most 5000 flags'),
    });
    await sql`delete from feature_tags where feature_name = 'crowd-77'`.execute(kysely);
    const { types, raised, details } = await effectOf(step);
    expect([types.length, raised]).toEqual([5_000, 1]);
    expect(details).toBe('Switched 5000 flags with the tag "simple:crowded" off in the environment "production".');
  });
});

describe('a strategy', () => {
  it('gets another rollout, named or as the only one, once', async () => {
    const name = await newFlag();
    const parameters = { rollout: '50', stickiness: 'default', groupId: name };
    const { id } = await add(name, { name: 'flexibleRollout', parameters }, environment);
    await add(name, { name: 'default' }, environment);
    const what = `the strategy with ID "${id}" of the feature "${name}" in the environment "production"`;
    const set = (rollout: number | string, strategyId?: string) =>
      effectOf({ action: 'SET_ROLLOUT', parameters: { ...place(name), rollout, strategyId } });
    expect(await set('10')).toEqual({
      ...{ types: ['feature-strategy-update'], raised: 1 },
      details: `Set the rollout of ${what} to 10 %.`,
    });
    expect(await set(20, id)).toMatchObject({ types: ['feature-strategy-update'], raised: 1 });
    expect((await stateOf(name)).strategies[0]?.parameters).toEqual({ ...parameters, rollout: '20' });
    expect(await set(20)).toEqual({
      ...{ types: [], raised: 0 },
      details: `No change: the rollout of ${what} is already 20 %.`,
    });
  });

  it('is disabled and enabled, and the last one switches the flag off', async () => {
    const name = await newFlag();
    await execute({ action: 'TOGGLE_FEATURE_ON', parameters: place(name) });
    const { id } = (await stateOf(name)).strategies[0]!;
    const parameters = { ...place(name), strategyId: id };
    const what = `strategy with ID "${id}" of the feature "${name}" in the environment "production"`;
    expect(await effectOf({ action: 'DISABLE_STRATEGY', parameters })).toEqual({
      types: ['feature-strategy-update', 'feature-environment-disabled'],
      raised: 1,
      details: `Disabled the ${what}.`,
    });
    expect(await effectOf({ action: 'DISABLE_STRATEGY', parameters })).toEqual({
      ...{ types: [], raised: 0 },
      details: `No change: the ${what} is already disabled.`,
    });
    expect(await stateOf(name)).toMatchObject({ enabled: false, strategies: [{ disabled: true }] });
    expect(await effectOf({ action: 'ENABLE_STRATEGY', parameters })).toEqual({
      ...{ types: ['feature-strategy-update'], raised: 1 },
      details: `Enabled the ${what}.`,
    });
    expect(await stateOf(name)).toMatchObject({ enabled: false, strategies: [{ disabled: false }] });
    expect(await effectOf({ action: 'ENABLE_STRATEGY', parameters })).toMatchObject({ types: [], raised: 0 });
  });
});
