import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** Postgres's own default (scram_iterations). */
const iterations = 4096;

/**
 * What Postgres stores of a password (RFC 5803). Sent in place of the password, which then appears in no server log, whatever
 * log_statement says. Null for a password outside ASCII: that one is normalised by rules (SASLprep) that the server knows.
 */
export function scramVerifier(password: string): string | null {
  if (!/^[\x20-\x7e]+$/.test(password)) return null;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
