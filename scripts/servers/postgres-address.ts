import pg from 'pg';

const reasons: Record<string, string> = {
  ECONNREFUSED: 'no server listens there (connection refused)',
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

/** At a load of ten times the cores, a server that answered has needed more than 5 s for a connection. */
const connectMs = 30_000;
/** The time for an address that may be wrong. Behind a slower server every later step would fail less clearly. */
const tryMs = 5_000;

export async function onPostgres(url: string, sql: string, timeoutMs = connectMs): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs });
  // The next statement reports a connection that broke while idle. Without a listener the error would end this process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Why `url` cannot be used, as a clause without the address (it holds a password), or undefined if it can. */
export async function findPostgresProblem(url: string): Promise<string | undefined> {
  try {
    await onPostgres(url, 'select 1', tryMs);
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (message.includes('timeout')) return reasons.ETIMEDOUT;
    return (code && reasons[code]) || message || code || String(error);
  }
}

/** Makes the database `name` on the server at `url` unless it exists. Returns its address. */
export async function makeDatabase(url: string, name: string): Promise<string> {
  const existing = await onPostgres(url, `select 1 from pg_database where datname = ${pg.escapeLiteral(name)}`);
  if (existing.rowCount === 0) await onPostgres(url, `create database ${pg.escapeIdentifier(name)}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

export function redactPassword(url: string): string {
  const redacted = new URL(url);
  if (redacted.password) redacted.password = '***';
  return redacted.href;
}
