import { describe, expect, it } from 'vitest';
import { deliveryId, isSigned, signedHeaders } from './signatures.ts';

// https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
const documented = {
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  signature: '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
};
const { secret, signature } = documented;
const body = Buffer.from(documented.body);

describe('a signature', () => {
  it('of GitHub is that of the documentation', () => {
    expect(isSigned('github', secret, { 'x-hub-signature-256': `sha256=${signature}` }, body)).toBe(true);
  });

  it('of Sentry is the digest alone', () => {
    expect(isSigned('sentry', secret, { 'sentry-hook-signature': signature }, body)).toBe(true);
    expect(isSigned('sentry', secret, { 'sentry-hook-signature': `sha256=${signature}` }, body)).toBe(false);
  });

  it.each([
    ['is missing', {}],
    ['is empty', { 'x-hub-signature-256': '' }],
    ['is cut off', { 'x-hub-signature-256': `sha256=${signature.slice(0, -1)}` }],
    ['is of other bytes', { 'x-hub-signature-256': `sha256=${signature.replace('7', '8')}` }],
    ['has letters of two bytes', { 'x-hub-signature-256': `sha256=${'ü'.repeat(64)}` }],
    ['is that of another sender', { 'sentry-hook-signature': signature }],
  ])('that %s is refused', (_, headers) => {
    expect(isSigned('github', secret, headers, body)).toBe(false);
  });

  it.each(['github', 'sentry'] as const)('of %s is the one that is made', (sender) => {
    const headers = signedHeaders(sender, secret, 'delivery-1', documented.body);
    expect(isSigned(sender, secret, headers, body)).toBe(true);
    expect(isSigned(sender, 'another secret', headers, body)).toBe(false);
    expect(deliveryId(sender, headers)).toBe('delivery-1');
  });
});

describe('the id of a delivery', () => {
  it.each([undefined, '', 'two words', 'x'.repeat(256), 'ü'])('is not %j', (id) => {
    expect(deliveryId('github', { 'x-github-delivery': id })).toBeUndefined();
  });
});
