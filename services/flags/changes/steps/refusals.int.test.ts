// Proves which steps are refused, with what reason, and that a refused step changes nothing.
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../../testing/flags-rig.ts';
import { bot, type SentStep, stepCalls } from '../../testing/step-calls.ts';

const project = 'default';
const environment = 'production';
const featureName = 'checkout';
const strategyId = 'unknown';
const place = { project, environment, featureName };
const tagged = { project, environment, tag: 'simple:beta' };

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  await rig.ask(contracts.createFeature, { projectId: project, name: featureName });
});
afterAll(() => rig?.stop());

const { newFlag, add } = flagCalls(() => rig);
const { execute } = stepCalls(() => rig);

const steps: readonly SentStep[] = [
  { action: 'TOGGLE_FEATURE_ON', parameters: place },
  { action: 'TOGGLE_FEATURE_OFF', parameters: place },
  { action: 'TOGGLE_FEATURES_ON_BY_TAG', parameters: tagged },
  { action: 'TOGGLE_FEATURES_OFF_BY_TAG', parameters: tagged },
  { action: 'SET_ROLLOUT', parameters: { ...place, rollout: 5 } },
  { action: 'MARK_STALE', parameters: { project, featureName } },
  { action: 'ENABLE_STRATEGY', parameters: { ...place, strategyId } },
  { action: 'DISABLE_STRATEGY', parameters: { ...place, strategyId } },
];

/** The reason why a step is refused. It has changed nothing. */
async function refusalOf(step: SentStep, actor = bot): Promise<{ code: string; message: string }> {
  const before = await rig.events();
  const refusal = await execute(step, actor).then(
    (details) => ({ code: 'done', message: details }),
    ({ code, message }) => ({ code, message }),
  );
  expect(await rig.events()).toEqual(before);
  return refusal;
}

describe('without its permission', () => {
  it('is every action, and the permission is named, with the environment if it has one', async () => {
    for (const step of steps) {
      const permission = contracts.stepPermissions[step.action];
      const others = Object.values(contracts.stepPermissions).filter((each) => each !== permission);
      const where = permission === 'UPDATE_FEATURE' ? '' : ' in the "production" environment';
      const message = `You need the "${permission}" permission to perform this action${where}.`;
      const elsewhere = [
        [],
        [{ permissions: others }],
        [{ permissions: [permission], projects: ['other'] }],
        ...(where === '' ? [] : [[{ permissions: [permission], projects: [project], environment: 'development' }]]),
      ];
      for (const grants of elsewhere)
        expect(await refusalOf(step, { ...bot, grants })).toEqual({ code: 'no-access', message });
      const own = where === '' ? { projects: [project] } : { projects: [project], environment };
      const allowed = await execute(step, { ...bot, grants: [{ permissions: [permission], ...own }] }).then(
        () => 'done',
        ({ code }) => code,
      );
      expect(allowed).toBe('strategyId' in step.parameters ? 'not-found' : 'done');
    }
  });
});

describe('a name of nothing', () => {
  const unknown = (step: SentStep, changes: Record<string, string>) =>
    ({ ...step, parameters: { ...step.parameters, ...changes } }) as SentStep;
  const everywhere = { ...bot, grants: [{ permissions: Object.values(contracts.stepPermissions) }] };

  it('is refused with the reason, by every action', async () => {
    for (const step of steps) {
      const message = 'Could not find the project with ID "nowhere".';
      expect(await refusalOf(unknown(step, { project: 'nowhere' }), everywhere)).toEqual({
        code: 'not-found',
        message,
      });
      if ('environment' in step.parameters) {
        const staging = await refusalOf(unknown(step, { environment: 'staging' }));
        const where = 'Could not find the environment with name "staging" in the project "default".';
        expect(staging).toEqual({ code: 'not-found', message: where });
      }
      if ('featureName' in step.parameters) {
        const flag = await refusalOf(unknown(step, { featureName: 'nothing' }));
        expect(flag).toEqual({ code: 'not-found', message: expect.stringContaining('"nothing"') });
      }
      if ('strategyId' in step.parameters) {
        expect(await refusalOf(step)).toEqual({ code: 'not-found', message: expect.stringContaining('"unknown"') });
      }
    }
  });

  it('may end within a character in the reason', async () => {
    const name = `${'a'.repeat(98)}🏴`;
    const refusal = await refusalOf(unknown(steps[0]!, { environment: name }));
    expect(refusal).toEqual({ code: 'not-found', message: expect.stringContaining('aa\ufffd…') });
  });

  it('is an archived flag', async () => {
    const name = await newFlag();
    await rig.ask(contracts.archiveFeature, { projectId: project, featureName: name });
    for (const step of steps.filter(({ parameters }) => 'featureName' in parameters)) {
      expect((await refusalOf(unknown(step, { featureName: name }))).code).toBe('not-found');
    }
  });
});

describe('a rollout', () => {
  it('is refused for several strategies without an id, for none, and for a strategy without one', async () => {
    const name = await newFlag();
    const of = (id?: string): SentStep => ({
      action: 'SET_ROLLOUT',
      parameters: { ...place, featureName: name, rollout: 5, strategyId: id },
    });
    expect(await refusalOf(of())).toMatchObject({ code: 'bad-data', message: expect.stringContaining('has 0 strat') });
    const { id } = await add(name, { name: 'default' }, environment);
    expect(await refusalOf(of(id))).toMatchObject({ code: 'bad-data', message: expect.stringContaining('"default"') });
    for (const title of ['one', 'two']) await add(name, { name: 'flexibleRollout', title }, environment);
    expect(await refusalOf(of())).toMatchObject({ code: 'bad-data', message: expect.stringContaining('has 2 strat') });
  });
});
