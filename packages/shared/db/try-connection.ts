import pg from 'pg';

/** Opens a connection of its own, runs `use` on it and closes it. Throws the driver's error, untranslated. */
export async function tryConnection(
  url: string,
  connectTimeoutMs: number,
  use: (client: pg.Client) => Promise<unknown> = async () => {},
): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    // The connection may never have been open.
    await client.end().catch(() => {});
  }
}
