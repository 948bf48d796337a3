import { describe, expect, it, test } from 'vitest';
import { createReadLimit } from './get-signal.ts';
import { claimOf, payloadText } from './signal-body.ts';

describe('the text of a payload', () => {
  it.each([
    '{"a":1e400,"b":123456789012345678901234567890,"c":1.10}',
    ' { "a" : [ 1 , 2 ] }\n',
    '{"a":1,"a":2,"__proto__":3}',
    '"\\ud800\\u0000"',
    'null',
    '0',
    `${'['.repeat(100)}${']'.repeat(100)}`,
  ])('is what was sent: %j', (text) => {
    expect(payloadText(Buffer.from(text))).toBe(text);
  });

  it('is null without a body, and lacks a byte order mark', () => {
    expect(payloadText(Buffer.alloc(0))).toBe('null');
    expect(payloadText(Buffer.from('\ufeff{}'))).toBe('{}');
  });

  it.each([
    ['half a body', '{"a":', /not well-formed JSON/],
    ['text', 'hunter2', /not well-formed JSON/],
    ['blanks', ' ', /not well-formed JSON/],
    ['101 levels', `${'['.repeat(101)}${']'.repeat(101)}`, /deeper than 100 levels/],
    ['levels of objects', `${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, /deeper than 100 levels/],
    ['fifty thousand levels', '['.repeat(50_000) + ']'.repeat(50_000), /deeper than 100 levels/],
  ])('is refused when it is %s', (_title, text, message) => {
    expect(() => payloadText(Buffer.from(text))).toThrow(message);
    expect(() => payloadText(Buffer.from(text))).not.toThrow(/hunter/);
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => payloadText(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not well-formed UTF-8');
  });

  it('is refused when its message would be larger than NATS accepts', () => {
    expect(payloadText(Buffer.from(JSON.stringify('x'.repeat(900_000))))).toHaveLength(900_002);
    expect(() => payloadText(Buffer.from(JSON.stringify('"'.repeat(449_000))))).toThrow('at most 1000000 bytes');
  });
});

describe('an Idempotency-Key', () => {
  const body = Buffer.from('{}');

  it.each(['a', 'a b "c" ~', 'x'.repeat(255)])('may be any printable text: %s', (key) => {
    expect(claimOf(key, body)).toEqual({ key, bodyHash: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['10 kB', 'x'.repeat(10_000)],
    ['of other characters than ASCII', 'ü'],
    ['a text with a tab', 'a\tb'],
    ['a text with NUL', '\u0000'],
  ])('may not be %s', (_title, key) => {
    expect(() => claimOf(key, body)).toThrow(/Idempotency-Key header should have 1 to 255 .* You sent "/);
  });

  it('has another hash for another body, and none without the header', () => {
    expect(claimOf('a', body)!.bodyHash).not.toBe(claimOf('a', Buffer.from('{ }'))!.bodyHash);
    expect(claimOf(undefined, body)).toBeNull();
  });
});

test('a token may read ten signals in any second', () => {
  let now = 0;
  const use = createReadLimit(() => now);
  for (let read = 0; read < 10; read += 1) {
    use(1);
    now += 50;
  }
  expect(() => use(1)).toThrow('at most 10 signals per second');
  use(2);
  now = 1_000;
  use(1);
  expect(() => use(1)).toThrow('at most 10 signals per second');
  now = 1_050;
  use(1);
});
