import { expect, it } from 'vitest';
import {
  attemptWords,
  countWords,
  durationWords,
  outcomeWords,
  prettyJson,
  rangeOf,
  resultWords,
} from './outcome-words.ts';

it('says what an attempt ended with', () => {
  expect(resultWords({ status: 503, errorCode: null })).toBe('Status 503');
  expect(resultWords({ status: null, errorCode: 'timeout' })).toBe('No answer in time (timeout)');
  expect(resultWords({ status: null, errorCode: 'EPIPE' })).toBe('EPIPE');
  expect(attemptWords({ status: 200, errorCode: null, durationMs: 84 })).toBe('Status 200 after 84 ms');
});

it('calls no error code a status code', () => {
  const wordsOf = (stateDetails: string) => outcomeWords({ stateDetails });
  const unanswered = 'Datadog Events API request failed with status code: ENOTFOUND';
  expect(wordsOf(unanswered)).toBe('Datadog Events API request failed: The host was not found (ENOTFOUND)');
  const slack = 'Some (1 of 3) Slack client calls failed. Errors: ops failed with status code: ';
  expect(wordsOf(`${slack}EPIPE`)).toBe('Some (1 of 3) Slack client calls failed. Errors: ops failed: EPIPE');
  expect(wordsOf(`${slack}429`)).toBe(`${slack}429`);
});

it('says a duration in milliseconds or seconds', () => {
  expect([0, 999, 1000, 20_040].map(durationWords)).toEqual(['0 ms', '999 ms', '1 s', '20 s']);
});

it('indents JSON and leaves another text as it is', () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(prettyJson('<b>no</b>')).toBe('<b>no</b>');
});

it('a range goes from the first to the last event', () => {
  const outcome = (id: number) => ({ event: { id } }) as Parameters<typeof rangeOf>[0][number];
  expect(rangeOf([])).toBeNull();
  expect(rangeOf([outcome(7), outcome(3), outcome(5)])).toEqual({ from: 3, to: 7 });
});

it('says how many are sent again, and when there are too many', () => {
  expect(countWords(0)).toBe('No delivery of this range can be sent again.');
  expect(countWords(1)).toBe('One delivery is sent again.');
  expect(countWords(10_000)).toBe('10,000 deliveries are sent again.');
  expect(countWords(10_001)).toContain('At most 10,000');
});
