import { type Strategy, stepSchema } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { describe, expect, it, test } from 'vitest';
import { answerOf, onlyRollout, outcomeOfError, tagOf, withRollout } from './step.ts';

const strategy = (id: string, name: string): Strategy => ({
  ...{ id, name, title: null, disabled: false, featureName: 'checkout', sortOrder: 0 },
  ...{ segments: [], constraints: [], variants: [], parameters: { groupId: 'g' } },
});
const place = { featureName: 'checkout', environment: 'production' };

describe('the outcome of an error', () => {
  it.each(['not-found', 'bad-data', 'limit-exceeded', 'no-access'] as const)('is the refusal %s', (code) => {
    const outcome = outcomeOfError(new AppError(code, 'No.'));
    expect(outcome).toEqual({ status: 'refused', code, message: 'No.' });
    expect(() => answerOf(outcome!)).toThrow(expect.objectContaining({ code, message: 'No.' }));
  });

  it.each([
    new AppError('unavailable', 'Later.'),
    new AppError('timeout', 'Unknown.'),
    new AppError('internal', 'An error.'),
    new TypeError('an error'),
    'thrown',
  ])('is none when the step is not done or may be done: %s', (error) => {
    expect(outcomeOfError(error)).toBeNull();
  });

  it('is storable when a name in its message ends within a character', () => {
    const message = `"${'🏴'.slice(0, 1)}…`;
    expect(outcomeOfError(new AppError('not-found', message))).toMatchObject({ message: '"\ufffd…' });
  });
});

test.each([
  ['simple:beta', { type: 'simple', value: 'beta' }],
  ['simple:a:b', { type: 'simple', value: 'a:b' }],
])('the tag of %s has the first colon as its end of the type', (text, tag) => {
  expect(tagOf(text)).toEqual(tag);
});

describe('a rollout', () => {
  it('is set in the only strategy that has one', () => {
    expect(onlyRollout([strategy('a', 'default'), strategy('b', 'flexibleRollout')], place)).toBe('b');
  });

  it.each([
    [0, ['default']],
    [2, ['flexibleRollout', 'flexibleRollout']],
  ])('is refused without a strategy id when %i strategies have one', (count, names) => {
    const strategies = names.map((name, index) => strategy(String(index), name));
    expect(() => onlyRollout(strategies, place)).toThrow(
      `The feature "checkout" has ${count} strategies of the type flexibleRollout in the environment "production".`,
    );
  });

  it('replaces that of the strategy, as a text, and no other parameter', () => {
    expect(withRollout(strategy('a', 'flexibleRollout'), 0).parameters).toEqual({ groupId: 'g', rollout: '0' });
    expect(() => withRollout(strategy('a', 'default'), 5)).toThrow('with ID "a" has the type "default"');
  });

  const parsed = (rollout: unknown) => {
    const step = { action: 'SET_ROLLOUT', parameters: { project: 'default', ...place, rollout } };
    const result = stepSchema.safeParse(step);
    return result.success && 'rollout' in result.data.parameters ? result.data.parameters.rollout : null;
  };

  it.each([
    [0, 0],
    [100, 100],
    ['0', 0],
    ['25', 25],
  ])('may be sent as %j', (sent, rollout) => {
    expect(parsed(sent)).toBe(rollout);
  });

  it.each(['', ' ', '1e2', '-1', '101', 101, -1, 1.5, true, null, [], 'all'])('is never read from %j', (sent) => {
    expect(parsed(sent)).toBeNull();
  });
});
