import pg from 'pg';
import { isRefusedLogin } from '../failures.ts';

/** A server that runs answers in milliseconds. */
const connectTimeoutMs = 5_000;

/** Whether Postgres accepts the user and password of the URL. Throws when it does not answer, or for other refusals. */
export async function acceptsLogin(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (isRefusedLogin(error)) return false;
    throw error;
  } finally {
    // The connection may never have been open.
    await client.end().catch(() => {});
  }
}
