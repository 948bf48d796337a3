import { makeToken } from '@yardarm/shared/auth';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { heapGrowthOf } from '@yardarm/testing/garbage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTicketOf, makeTicket, readTicket } from './tickets.ts';

const resolved = (token = makeToken('*:development.')) => token as unknown as ResolvedToken;
const token = resolved();
const hourMs = 3_600_000;
const someTime = Date.parse('2026-05-01T12:34:56.789Z');

const moments = fc.integer({ min: 0, max: 2 ** 42 });

test('a ticket is valid for half an hour to an hour, for its token and no other', () => {
  fc.assert(
    fc.property(moments, fc.string(), (now, holder) => {
      const text = makeTicket(token, holder, now);
      const ticket = readTicket(text, now)!;
      expect(ticket.selector).toBe(token.selector);
      expect(ticket.expiresAt).toBeGreaterThan(now + hourMs / 2);
      expect(ticket.expiresAt).toBeLessThanOrEqual(now + hourMs);
      expect([isTicketOf(ticket, token), isTicketOf(ticket, resolved())]).toEqual([true, false]);
      expect(readTicket(text, ticket.expiresAt - 1)).toEqual(ticket);
      expect(readTicket(text, ticket.expiresAt)).toBeNull();
    }),
  );
});

test('the selector of a ticket that is kept keeps nothing of the address in memory', async () => {
  const kept: string[] = [];
  const growth = await heapGrowthOf(() => {
    for (let n = 0; n < 100; n += 1) {
      const text = makeTicket(resolved(), '', someTime);
      const url = Buffer.from(`/ofrep/v1/events?pad=${'x'.repeat(100_000)}&ticket=${text}`).toString('latin1');
      kept.push(readTicket(url.slice(-text.length), someTime)!.selector);
    }
  });
  expect(kept).toHaveLength(100);
  expect(growth).toBeLessThan(5_000_000);
});

test('every gateway makes the same ticket for half an hour, then another one', () => {
  const changes = (holder: string) => {
    const minutes = Array.from({ length: 60 }, (_, minute) => someTime + minute * 60_000);
    const made = minutes.map((now) => makeTicket(token, holder, now));
    return made.flatMap((ticket, minute) => (minute > 0 && ticket !== made[minute - 1] ? [minute] : []));
  };
  const [first, second] = changes('7') as [number, number];
  expect(second - first).toBe(30);
});

test('clients of a token get another ticket at different times', () => {
  const expiries = Array.from({ length: 200 }, (_, user) => readTicket(makeTicket(token, `${user}`))!.expiresAt);
  expect(new Set(expiries).size).toBeGreaterThan(150);
});

test('a ticket with a changed letter is refused', () => {
  const letters = fc.constantFrom(...'aB7_-.');
  fc.assert(
    fc.property(fc.nat(), letters, (at, letter) => {
      const text = makeTicket(token, '', someTime);
      const index = at % text.length;
      fc.pre(text[index] !== letter);
      const ticket = readTicket(text.slice(0, index) + letter + text.slice(index + 1), someTime);
      expect(ticket !== null && ticket.selector === token.selector && isTicketOf(ticket, token)).toBe(false);
    }),
  );
});

test('any text is refused without an error, and the token itself is none', () => {
  const anyText = fc.string({ unit: fc.constantFrom(...'aZ09_-. \u0000\ud800%'), maxLength: 200 });
  fc.assert(
    fc.property(anyText, (text) => {
      expect(readTicket(text)).toBeNull();
    }),
  );
  expect(readTicket(makeToken('*:development.').token)).toBeNull();
  expect(readTicket(`${'a'.repeat(22)}.zzzzzzzzzz.${'a'.repeat(43)}`)).toBeNull();
});

test('a ticket reveals neither the token nor its hash', () => {
  const made = makeToken('*:development.');
  const text = makeTicket(resolved(made), '');
  expect(text).not.toContain(made.hash);
  expect(text).not.toContain(made.token.slice(-20));
});
