import { expect, it } from 'vitest';
import type { SendResult } from './provider.ts';
import { redactSecrets } from './redact-secrets.ts';
import { webhookDefinition } from './webhook/definition.ts';

const published = (responseBody: string, over: Partial<SendResult> = {}): SendResult => ({
  state: 'failed',
  stateDetails: '',
  details: {},
  status: 500,
  errorCode: null,
  responseBody,
  next: 'retry',
  retryAfter: null,
  progress: null,
  ...over,
});

const redacted = (parameters: Record<string, string>, said: string) =>
  redactSecrets(webhookDefinition, parameters, published(said)).responseBody;

it.each([
  ['the whole value', { authorization: 'Basic c2VjcmV0' }, 'you sent Basic c2VjcmV0', 'you sent *****'],
  ['the token alone', { authorization: 'Bearer abcdefgh' }, 'unknown token abcdefgh', 'unknown token *****'],
  ['the path of a url', { url: 'https://x.example/hooks/T0' }, 'no route /hooks/T0', 'no route *****'],
  ['a long part of the path', { url: 'https://x.example/a/0123456789abcdef' }, 'id 0123456789abcdef', 'id *****'],
  ['a value of the query', { url: 'https://x.example/?sig=abcdefgh' }, 'sig abcdefgh is old', 'sig ***** is old'],
  ['a short value', { authorization: 'hunter2' }, '{"got":"hunter2"}, hunter22', '{"got":"*****"}, hunter22'],
  ['a short header', { customHeaders: '{"x-pin":"é.12"}' }, 'pin é.12, not é.123', 'pin *****, not é.123'],
  ['a header', { customHeaders: '{"x-key":"abcd\\"efgh"}' }, 'x-key: abcd"efgh', 'x-key: *****'],
  ['a header as JSON', { customHeaders: '{"x-key":"abcd\\"efgh"}' }, '{"got":"abcd\\"efgh"}', '{"got":"*****"}'],
])('an answer is redacted: %s', (_what, parameters, said, kept) => {
  expect(redacted(parameters, said)).toBe(kept);
});

it('a text that is not secret, or too short to be a secret, does not change', () => {
  const parameters = { url: 'https://x.example/api/hooks', contentType: 'text/plain', customHeaders: '{"x-a":"1"}' };
  expect(redacted(parameters, 'api takes no text/plain, 1 hooks')).toBe('api takes no text/plain, 1 hooks');
});

it('the state details and details are redacted too, and the rest stays', () => {
  const parameters = { authorization: 'abcdefgh' };
  const over = { stateDetails: 'no abcdefgh', details: { body: 'abcdefgh', channels: ['abcdefgh'], count: 1 } };
  expect(redactSecrets(webhookDefinition, parameters, published('', over))).toEqual(
    published('', { stateDetails: 'no *****', details: { body: '*****', channels: ['*****'], count: 1 } }),
  );
});
