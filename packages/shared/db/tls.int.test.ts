// Proves, with an authority of the test: `sslmode=verify-full` uses a server only with a certificate of that authority
// which has the name of the address and has not expired, and what is wrong is said.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@yardarm/testing';
import { makeAuthority } from '@yardarm/testing/certificates';
import { type PostgresWithTls, startPostgresWithTls } from '@yardarm/testing/postgres-with-tls';
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest';
import { keepingLogger } from '../bus/testing/bus-rig.ts';
import { connectionProblem, createDatabase, type Database, type SharedTables } from './index.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-postgres-tls-'));
const authority = makeAuthority(folder);
const stranger = makeAuthority(folder, 'stranger');
const names = ['DNS:localhost', 'IP:127.0.0.1'];
const { log, lines } = keepingLogger();
const open: Database<SharedTables>[] = [];
let postgres: PostgresWithTls;

const right = authority.issue('right', names);

beforeAll(async () => {
  postgres = await startPostgresWithTls(folder, right);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
  lines.length = 0;
});
afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function connect(host: string, query: string): Database<SharedTables> {
  const url = `${postgres.url.replace('127.0.0.1', host)}?${query}`;
  const db = createDatabase<object>({ url, schema: 'flags', log });
  open.push(db);
  return db;
}

const verified = `sslmode=verify-full&sslrootcert=${authority.caFile}`;

/** The certificate of new connections is another one when the server has read its files again. */
async function serve(
  certificate: { certFile: string; keyFile: string },
  expected: RegExp | null,
): Promise<string | null> {
  await postgres.use(certificate);
  return eventually(async () => {
    const problem = await connect('localhost', verified)
      .ping()
      .then(
        () => null,
        (error: unknown) => connectionProblem(error) ?? String(error),
      );
    if (expected === null ? problem !== null : !expected.test(problem ?? '')) throw new Error(`it was: ${problem}`);
    return problem;
  });
}

test.each(['localhost', '127.0.0.1'])('a server with a certificate of the authority is used under %s', async (host) => {
  await connect(host, verified).ping();
});

test.each([
  ['has expired', authority.issue('expired', names, -1)],
  ['is for another name than the address has', authority.issue('other-name', ['DNS:other.example'])],
  ['is not signed by an authority that this process trusts', stranger.issue('foreign', names)],
])('a server whose certificate %s is refused, and the log says so', async (problem, certificate) => {
  expect(await serve(certificate, new RegExp(problem))).toBe(`the certificate of Postgres ${problem}`);
  expect(lines).toContainEqual(expect.objectContaining({ msg: `the certificate of Postgres ${problem}`, level: 50 }));
  // It is read at each connection: no restart is needed.
  await serve(right, null);
});

test('a server without TLS is refused when the URL asks for it', async () => {
  const db = createDatabase<object>({ url: `${inject('postgresUrl')}?${verified}`, schema: 'flags', log });
  open.push(db);
  await expect(db.ping()).rejects.toSatisfy(
    (error) => connectionProblem(error) === 'Postgres does not offer TLS, which DATABASE_URL asks for',
  );
});
