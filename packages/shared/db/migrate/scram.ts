import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/** The default of Postgres (scram_iterations). */
const iterations = 4096;

/**
 * The form in which Postgres stores a password (RFC 5803). It keeps the password out of the server log,
 * whatever log_statement is. Null unless the password is printable ASCII: only the server can normalise it (SASLprep).
 */
export function scramVerifier(password: string): string | null {
  if (!/^[\x20-\x7e]+$/.test(password)) return null;
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`;
}
