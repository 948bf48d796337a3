import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { copyOf, isSameHash } from '@yardarm/shared/auth';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';

/**
 * A ticket stands for an SDK token in a URL, for clients that cannot send headers: `<selector>.<expiry>.<proof>`. The
 * proof is an HMAC with the hash of the token as its key, so every gateway that knows the token can check the ticket,
 * and nothing is stored. It reveals nothing of the token, and ends with it.
 */
export interface Ticket {
  /** The selector of the token for which the ticket was made. */
  selector: string;
  /** When the ticket ends, in milliseconds since 1970. */
  expiresAt: number;
  /** The part of the ticket that its proof signs. */
  claim: string;
  proof: string;
}

/** Half of the hour for which a ticket is valid. A client that gets it at the end of a slot can use it for as long. */
const slotSeconds = 1_800;

const shape = /^([\w-]{22,23})\.([0-9a-z]{1,9})\.([\w-]{43})$/;

/**
 * A ticket of the token, valid for an hour. During the first half of it every gateway makes the same one, so that their
 * answers are equal. `holder` names the client: clients get their next ticket at different times, so that their streams
 * do not all end together.
 */
export function makeTicket({ selector, hash }: ResolvedToken, holder: string, now = Date.now()): string {
  const shift = crc32(holder) % slotSeconds;
  const slot = Math.floor((now / 1000 - shift) / slotSeconds);
  const expiresAt = (slot + 2) * slotSeconds + shift;
  const claim = `${selector}.${expiresAt.toString(36)}`;
  return `${claim}.${prove(claim, hash)}`;
}

/** Null when the text has not the shape of a ticket, or the ticket has expired. */
export function readTicket(text: string, now = Date.now()): Ticket | null {
  const [, selector, expiry, proof] = shape.exec(text) ?? [];
  if (selector === undefined || expiry === undefined || proof === undefined) return null;
  const expiresAt = Number.parseInt(expiry, 36) * 1000;
  return expiresAt > now ? { selector: copyOf(selector), expiresAt, claim: `${selector}.${expiry}`, proof } : null;
}

export function isTicketOf({ claim, proof }: Ticket, { hash }: ResolvedToken): boolean {
  return isSameHash(proof, prove(claim, hash));
}

/** The first words keep the HMAC apart from any other use of the key. */
function prove(claim: string, key: string): string {
  return createHmac('sha256', key).update(`yardarm ticket ${claim}`).digest('base64url');
}
