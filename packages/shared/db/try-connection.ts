import pg from 'pg';
import { urlsOfHosts } from '../config/database-url.ts';

/**
 * Opens a connection of its own to the first host that accepts one, runs `use` on it and closes it. Throws the driver's
 * error of the last host, untranslated.
 */
export async function tryConnection(
  url: string,
  connectTimeoutMs: number,
  use: (client: pg.Client) => Promise<unknown> = async () => {},
): Promise<void> {
  const client = await connectToOne(urlsOfHosts(url), connectTimeoutMs);
  try {
    await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}

async function connectToOne([url, ...others]: readonly string[], connectTimeoutMs: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url!, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    // The connection may never have been open.
    await client.end().catch(() => {});
    if (others.length === 0) throw error;
    return connectToOne(others, connectTimeoutMs);
  }
}
