import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Actor } from '../contracts/actor.ts';
import { contextOf, decodeHeader, encodeHeader, headerNames, makeHeaders, requestHeaders } from './headers.ts';
import { contextWith } from './testing/bus-rig.ts';

const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0xffff })))
  .map((units) => String.fromCharCode(...units));

test('any text is decoded from its header unchanged', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const value = encodeHeader(text);
      expect(value).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
      expect(decodeHeader(value)).toBe(text.toWellFormed());
    }),
  );
});

test.each(["UTF-8''x", ' spaces ', 'a\r\nb: c', ''])('the text %j is decoded from its header unchanged', (text) => {
  expect(decodeHeader(encodeHeader(text))).toBe(text);
});

test('an actor with any name arrives unchanged', () => {
  fc.assert(
    fc.property(anyText, anyText, (username, name) => {
      const actor: Actor = {
        kind: 'user',
        id: 7,
        username,
        name,
        grants: [{ permissions: ['UPDATE_FEATURE'], projects: [name] }],
      };
      const { context } = contextOf(requestHeaders(contextWith({ actor }), 1_000, 'frames'), Date.now());
      expect(context.actor).toEqual(actor);
    }),
  );
});

test('the remaining time counts from the arrival, even when the clocks differ', () => {
  const now = 1_000_000;
  const sent = requestHeaders(contextWith({ deadline: now + 5_000 }), 5_000, 'frames');
  const skewMs = 20_000;
  const arrived = contextOf(sent, now + skewMs);
  expect(arrived.isLate).toBe(false);
  expect(arrived.context.deadline).toBe(now + skewMs + 5_000);
});

test('a request that was delayed for minutes is late', () => {
  const now = 1_000_000;
  expect(contextOf(requestHeaders(contextWith({ deadline: now + 5_000 }), 5_000, 'frames'), now + 120_000).isLate).toBe(
    true,
  );
});

test('an unknown permission is left out, and an unreadable actor is null', () => {
  const json = JSON.stringify({
    kind: 'user',
    id: 1,
    username: 'ann',
    grants: [{ permissions: ['FLY', 'ADMIN'] }],
  });
  expect(contextOf(makeHeaders({ [headerNames.actor]: json }), 0).context.actor?.grants).toEqual([
    { permissions: ['ADMIN'] },
  ]);
  expect(contextOf(makeHeaders({ [headerNames.actor]: '{"kind":' }), 0).context.actor).toBeNull();
  expect(contextOf(makeHeaders({ [headerNames.actor]: '{"kind":"god"}' }), 0).context.actor).toBeNull();
});
