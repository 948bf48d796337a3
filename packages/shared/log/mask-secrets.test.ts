// Proves that no secret property of a line is written, however the code passes it.
import { beforeEach, expect, test } from 'vitest';
import { createLogger, type Logger } from './index.ts';

let lines: string[];
let log: Logger;

beforeEach(() => {
  lines = [];
  log = createLogger({ service: 'flags', level: 'info', destination: { write: (text) => void lines.push(text) } });
});

const line = () => JSON.parse(lines.join('')) as Record<string, unknown>;

test.for([
  ['a field', { token: 'hidden' }],
  ['a field that is an object', { url: { href: 'hidden' } }],
  ['a field of a field', { request: { headers: { authorization: 'hidden', cookie: ['hidden'] } } }],
  ['an element of a list', { logins: [{ password: 'hidden' }] }],
  ['an error', { err: Object.assign(new Error('refused'), { connectionString: 'hidden' }) }],
  [
    'the row in an error of Postgres',
    { err: Object.assign(new Error('refused'), { detail: 'hidden', where: 'hidden' }) },
  ],
  [
    'one of several errors',
    { err: new AggregateError([Object.assign(new Error('one'), { detail: 'hidden' })], 'two') },
  ],
  ['an error under another name', { reason: Object.assign(new Error('refused'), { detail: 'hidden' }) }],
])('a secret in %s is not written', ([, fields]) => {
  log.info(fields, 'a line');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('hidden');
  expect(lines[0]).toContain('"***"');
});

test('a secret that a child logger adds is not written', () => {
  log.child({ apiKey: 'hidden' }).info('a line');
  expect(line()).toMatchObject({ apiKey: '***', service: 'flags' });
});

test('an error has its message, its stack, its causes and its other properties', () => {
  const err = Object.assign(new Error('refused', { cause: new Error('closed') }), { code: '57P01' });
  log.info({ err }, 'a line');
  expect(line().err).toMatchObject({ type: 'Error', message: 'refused: closed', code: '57P01' });
  expect(line().err).toMatchObject({ stack: expect.stringContaining('mask-secrets.test.ts') as string });
});

test('an error alone is the line', () => {
  log.error(Object.assign(new Error('refused'), { token: 'hidden' }));
  expect(line()).toMatchObject({ msg: 'refused', err: { message: 'refused', token: '***' } });
});

test('other values stay, and the object that was logged is not changed', () => {
  const fields = { at: new Date(0), bytes: 3, none: null, list: [1, { a: 2 }], token: 'hidden' };
  log.info(fields, 'a line');
  expect(line()).toMatchObject({ at: '1970-01-01T00:00:00.000Z', bytes: 3, none: null, list: [1, { a: 2 }] });
  expect(fields.token).toBe('hidden');
});

test('an object that contains itself is written', () => {
  const fields: Record<string, unknown> = { bytes: 3 };
  fields.self = fields;
  log.info(fields, 'a line');
  expect(line()).toMatchObject({ bytes: 3, msg: 'a line' });
});
