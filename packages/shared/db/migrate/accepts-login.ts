import { isRefusedLogin } from '../failures.ts';
import { tryConnection } from '../try-connection.ts';

/** A server that runs answers in milliseconds. */
const connectTimeoutMs = 5_000;

/** Whether Postgres accepts the user and password of the URL. Throws when it does not answer, or for other refusals. */
export async function acceptsLogin(url: string): Promise<boolean> {
  try {
    await tryConnection(url, connectTimeoutMs);
    return true;
  } catch (error) {
    if (isRefusedLogin(error)) return false;
    throw error;
  }
}
