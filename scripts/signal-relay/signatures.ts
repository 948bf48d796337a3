import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const senderNames = ['github', 'sentry'] as const;

export type SenderName = (typeof senderNames)[number];

/** The headers of each sender, and what is in front of the signature. */
const signing: Record<SenderName, { signature: string; prefix: string; delivery: string }> = {
  github: { signature: 'x-hub-signature-256', prefix: 'sha256=', delivery: 'x-github-delivery' },
  sentry: { signature: 'sentry-hook-signature', prefix: '', delivery: 'request-id' },
};

/** Whether the sender has signed these bytes with the secret. */
export function isSigned(sender: SenderName, secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const { signature, prefix } = signing[sender];
  const given = Buffer.from(String(headers[signature] ?? ''));
  const expected = Buffer.from(prefix + createHmac('sha256', secret).update(body).digest('hex'));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The id of the delivery, which is the same when the sender delivers again. */
export function deliveryId(sender: SenderName, headers: IncomingHttpHeaders): string | undefined {
  const id = headers[signing[sender].delivery];
  return typeof id === 'string' && /^[\x21-\x7e]{1,255}$/.test(id) ? id : undefined;
}

/** The headers with which the sender would send these bytes. */
export function signedHeaders(sender: SenderName, secret: string, id: string, body: string): Record<string, string> {
  const { signature, prefix, delivery } = signing[sender];
  return {
    'content-type': 'application/json',
    [signature]: prefix + createHmac('sha256', secret).update(body).digest('hex'),
    [delivery]: id,
  };
}
