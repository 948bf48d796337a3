import { expect, test } from 'vitest';
import { Problem, type ProblemKind } from '../api/problem.ts';
import { attemptOf, outcomeOf } from './outcome.ts';

const attempt = { notDone: 'Did not switch a.', unknown: 'It is unknown whether this switched a.' };
const outcome = (kind: ProblemKind, code?: string) =>
  outcomeOf(new Problem(kind, 'Why.', code === undefined ? {} : { code }), attempt);

test.each(['unavailable', 'rate-limited', 'offline', 'unauthenticated'] as const)(
  'a change that was not made (%s) may be sent again',
  (kind) => {
    expect(outcome(kind)).toMatchObject({ title: attempt.notDone, canSendAgain: true });
  },
);

test.each(['outcome-unknown', 'unreachable'] as const)(
  'a change without an answer (%s) is never sent again',
  (kind) => {
    expect(outcome(kind)).toEqual({
      title: attempt.unknown,
      description: 'Why. It was not sent again. What the server has now is read.',
      canSendAgain: false,
    });
  },
);

test('maintenance mode refuses in its own words, and again', () => {
  expect(outcome('unavailable', 'MaintenanceModeError')).toMatchObject({ description: 'Why.', canSendAgain: false });
});

test.each(['forbidden', 'invalid', 'conflict', 'missing', 'fault'] as const)(
  'what is refused (%s) has the words of the API',
  (kind) => {
    expect(outcome(kind)).toEqual({ title: attempt.notDone, description: 'Why.', canSendAgain: false });
  },
);

test('a fault of the console has its words too', () => {
  expect(outcomeOf(new Error('x is undefined'), attempt).title).toBe(attempt.notDone);
});

test('an attempt has words for a refusal, and for an unknown outcome', () => {
  expect(attemptOf('the endpoint a', 'switched on')).toEqual({
    notDone: 'The endpoint a was not switched on.',
    unknown: 'It is unknown whether the endpoint a was switched on.',
  });
});
