import { describe, expect, it } from 'vitest';
import { type Action, payloadPathProblem, resolveParameters, resolveStep } from './parameters.ts';
import { parsePayload } from './payload.ts';

const toggle = (over: Action['executionParams'] = {}): Action => ({
  action: 'TOGGLE_FEATURE_OFF',
  executionParams: { project: 'shop', environment: 'production', featureName: 'checkout', ...over },
});
const rollout = (value: string | number | boolean): Action => ({
  action: 'SET_ROLLOUT',
  executionParams: { ...toggle().executionParams, rollout: value },
});
const resolve = (action: Action, payload: unknown = null) => resolveStep(action, payload, 'shop');

describe('resolveStep', () => {
  it('makes a step of parameters without paths', () => {
    expect(resolve(toggle())).toEqual({
      step: {
        action: 'TOGGLE_FEATURE_OFF',
        parameters: { project: 'shop', environment: 'production', featureName: 'checkout' },
      },
    });
    expect(resolve(rollout(25))).toMatchObject({ step: { parameters: { rollout: 25 } } });
    expect(resolve({ action: 'MARK_STALE', executionParams: { project: 'shop', featureName: 'old' } })).toEqual({
      step: { action: 'MARK_STALE', parameters: { project: 'shop', featureName: 'old' } },
    });
  });

  it('replaces paths by the scalars of the payload', () => {
    const action = toggle({ featureName: '{{payload.labels.flag}}', environment: '{{ payload.alerts[0].env }}' });
    expect(resolve(action, { labels: { flag: 'checkout-2' }, alerts: [{ env: 'staging' }] })).toMatchObject({
      step: { parameters: { featureName: 'checkout-2', environment: 'staging' } },
    });
    expect(resolve(rollout('{{payload.percent}}'), { percent: 50 })).toMatchObject({
      step: { parameters: { rollout: 50 } },
    });
  });

  it('replaces a path by the digits that were sent', () => {
    const payload = parsePayload('{"flag":12345678901234567890}');
    expect(resolve(toggle({ featureName: 'flag-{{payload.flag}}' }), payload)).toMatchObject({
      step: { parameters: { featureName: 'flag-12345678901234567890' } },
    });
  });

  it('replaces several paths within a text', () => {
    const action: Action = {
      action: 'TOGGLE_FEATURES_OFF_BY_TAG',
      executionParams: { project: 'shop', environment: 'production', tag: '{{payload.type}}:{{payload.team}}-eu' },
    };
    expect(resolve(action, { type: 'simple', team: 7 })).toMatchObject({
      step: { parameters: { tag: 'simple:7-eu' } },
    });
  });

  it('does not read a replacement as a path or a pattern', () => {
    const { parameters } = resolveParameters(toggle({ featureName: '{{payload.a}}' }), { a: '{{payload.b}}', b: 'x' });
    expect(parameters.featureName).toBe('{{payload.b}}');
    expect(resolve(toggle({ featureName: '{{payload.a}}' }), { a: '{{payload.b}}', b: 'x' })).toHaveProperty('problem');
    expect(resolveParameters(toggle({ featureName: '{{payload.a}}' }), { a: '$&$1' }).parameters.featureName).toBe(
      '$&$1',
    );
  });

  it.each([
    ['nothing', {}],
    ['null', { flag: null }],
    ['an object', { flag: {} }],
    ['a list', { flag: ['checkout'] }],
    ['a payload that is no object', 'flag'],
    ['no payload', null],
  ])('has a problem when a path leads to %s', (_, payload) => {
    expect(resolve(toggle({ featureName: '{{payload.flag}}' }), payload)).toEqual({
      problem: 'The .featureName property needs payload.flag, which is no text, number or boolean of the payload.',
    });
  });

  it('has a problem when the project is not that of the set', () => {
    const problem = 'The .project property should be the project of the action set, "shop". You sent "other".';
    expect(resolve(toggle({ project: 'other' }))).toEqual({ problem });
    expect(resolve(toggle({ project: '{{payload.p}}' }), { p: 'other' })).toEqual({ problem });
  });

  it.each([
    [
      'a text that is too long',
      { flag: 'x'.repeat(1001) },
      '.featureName property should have at most 1000 characters',
    ],
    ['blanks', { flag: '  ' }, '.featureName property should not be empty'],
    ['a name that no flag has', { flag: 'a/b' }, '.featureName'],
  ])('has a problem when a path leads to %s', (_, payload, words) => {
    expect(resolve(toggle({ featureName: '{{payload.flag}}' }), payload)).toEqual({
      problem: expect.stringContaining(words),
    });
  });

  it.each(['', ' ', true, -1, 101, 2.5, '50%', 'Infinity'])('has a problem with the rollout %j', (value) => {
    expect(resolve(rollout(value))).toEqual({ problem: expect.stringContaining('.rollout property') });
    expect(resolve(rollout('{{payload.r}}'), { r: value })).toEqual({
      problem: expect.stringContaining('.rollout property'),
    });
  });

  it('has a problem with a parameter that is missing', () => {
    expect(resolve({ action: 'MARK_STALE', executionParams: { project: 'shop' } })).toEqual({
      problem: 'The .featureName property is required. You sent undefined.',
    });
  });
});

describe('payloadPathProblem', () => {
  it.each(['text', '{', 'a{b}c', 5, true, '{{payload.a}}', 'x{{payload.a.b[0]}}y{{ payload.c d }}'])(
    'accepts %j',
    (text) => {
      expect(payloadPathProblem(text)).toBeNull();
    },
  );

  it.each([
    '{{',
    '{{payload.a',
    '{{a}}',
    '{{payload}}',
    '{{payload.}}',
    '{{{payload.a}}}',
    '{{payload.a}}{{b}}',
    '{{#payload.a}}',
  ])('refuses %j', (text) => {
    expect(payloadPathProblem(text)).toBe('should hold payload paths of the form {{payload.labels.flag}} only');
  });

  it('refuses a path with too many parts', () => {
    expect(payloadPathProblem(`{{payload.${'a.'.repeat(32)}a}}`)).toBe('should hold payload paths of at most 32 parts');
  });
});
