import pg from 'pg';

/** What a person is told for the errors that a wrong address or account gives. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nobody answers there (connection refused)',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'there is no way to the host',
  ECONNRESET: 'the connection was cut: is that Postgres?',
  '28P01': 'the user or the password is wrong',
  '28000': 'the user is not let in',
  '3D000': 'there is no database of that name',
  '53300': 'it has no connection to spare',
};

/** Runs one statement on a connection of its own. */
export async function onPostgres(url: string, sql: string): Promise<pg.QueryResult> {
  // 5 s: a server that is slower to let one in would make every later step fail with less clear words.
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A connection that breaks while idle is told by the statement that follows; without a listener it ends us.
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Why `url` cannot be used, as a clause without the address (it holds a password), or undefined if it can. */
export async function whyNoPostgres(url: string): Promise<string | undefined> {
  try {
    await onPostgres(url, 'select 1');
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (message.includes('timeout')) return reasons.ETIMEDOUT;
    return (code && reasons[code]) || message || code || String(error);
  }
}

/** Makes the database `name` on the server at `url` where it has none of that name, and gives its address. */
export async function makeDatabase(url: string, name: string): Promise<string> {
  const known = await onPostgres(url, `select 1 from pg_database where datname = ${pg.escapeLiteral(name)}`);
  if (known.rowCount === 0) await onPostgres(url, `create database ${pg.escapeIdentifier(name)}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** The address without its password, for people. */
export function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  return shown.href;
}
