// Every route of the OpenAPI document, tried by everybody: held to golden.txt, which is written by hand.
import { type CallResult, logIn, startSystem, type TestSystem } from '@yardarm/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, createCallers, everythingBut } from './callers.ts';
import { type GoldenRow, golden, type Kind, openBeforePasswordChange } from './golden.ts';

let system: TestSystem;
let callers: Caller[];
const lacking = new Map<string, Caller>();

beforeAll(async () => {
  // The walk comes from one address, where a person would be told to slow down.
  system = await startSystem({
    SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
    PASSWORD_RESET_LIMIT_PER_MINUTE: '1000',
    UNKNOWN_TOKEN_LIMIT_PER_MINUTE: '0',
  });
  callers = await createCallers(system, golden);
  for (const { permissions } of golden) {
    const key = permissions.join();
    if (key !== '' && !lacking.has(key)) lacking.set(key, await everythingBut(system, permissions));
  }
}, 120_000);

afterAll(() => system?.stop());

const nameOf = (row: { method: string; path: string }) => `${row.method} ${row.path}`;

test('every route of the document has exactly one row, and every row is a route of it', async () => {
  const { body } = await system.call('GET', '/docs/openapi.json', { token: null });
  const documented = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => nameOf({ method: method.toUpperCase(), path })),
  );
  expect(golden.map(nameOf).toSorted()).toEqual(documented.toSorted());
});

describe('everybody at', () => {
  let eventsBefore: number;

  beforeAll(async () => {
    eventsBefore = await countEvents();
  });

  test.each(golden.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
    const everything = lacking.get(row.permissions.join());
    const walkers = [...callers, ...(everything ? [everything] : [])];
    const wrong: string[] = [];
    // As many at once as browsers open connections: enough to be quick, too few to wait for each other.
    const queue = [...walkers];
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (let caller = queue.shift(); caller; caller = queue.shift()) {
          const fault = faultOf(row, caller, await authRequest(row, caller));
          if (fault !== null) wrong.push(`${caller.who}: ${fault}`);
        }
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('and nothing has changed by it', async () => {
    expect(await countEvents()).toBe(eventsBefore);
  });
});

describe('a fault is found and told', () => {
  const row: GoldenRow = {
    ...{ method: 'POST', path: '/x', audience: 'admin', permissions: ['CREATE_ADDON'], environment: 'production' },
    ...{ grantedBy: ['E'], expectedStatus: 400, exceptions: {}, body: {}, query: '' },
  };
  const caller = (kind: Caller['kind'], holds: boolean): Caller => ({
    ...{ who: 'x', kind, headers: {}, holds: () => holds },
  });
  const answered = (status: number, name: string, message = '') =>
    ({ status, text: message, headers: new Headers(), body: { id: 'x', name, message } }) satisfies CallResult;

  test.each([
    ['who is let in and may not', caller('person', false), answered(400, 'ValidationError'), '400 instead of 403'],
    ['who is refused and may', caller('person', true), answered(403, 'NoAccessError'), '403 instead of 400'],
    [
      'a refusal without its permission',
      caller('person', false),
      answered(403, 'NoAccessError', 'No.'),
      'CREATE_ADDON',
    ],
    [
      'a refusal without its environment',
      caller('person', false),
      answered(403, 'NoAccessError', 'You need "CREATE_ADDON".'),
      'production',
    ],
    ['nobody with a 403', caller('nobody', false), answered(403, 'NoAccessError'), '403 instead of 401'],
    [
      'a client token with a 401',
      caller('client', true),
      answered(401, 'AuthenticationRequired'),
      '401 instead of 403',
    ],
  ])('%s', (_title, who, answer, words) => {
    expect(faultOf(row, who, answer)).toContain(words);
  });
});

/** Whom the admin door lets in, for permissions to decide the rest. */
const comeInByAdmin: readonly Kind[] = ['admin token', 'person', 'service account'];

/** What golden.txt says that this visitor gets. */
function expected(row: GoldenRow, caller: Caller): { status: number; named: string[] } {
  const expectedStatus = { status: row.exceptions[caller.kind] ?? row.expectedStatus, named: [] };
  const refused = { status: 403, named: [] };
  if (row.audience === 'public') return expectedStatus;
  if (caller.kind === 'nobody') return { status: 401, named: [] };
  if (row.audience !== 'admin') {
    if (caller.kind === row.audience) return expectedStatus;
    // A cookie says nothing to doors of machines: they look at the authorization header alone.
    return caller.person ? { status: 401, named: [] } : refused;
  }
  if (!comeInByAdmin.includes(caller.kind)) return refused;
  if (caller.mustChoosePassword && !openBeforePasswordChange.includes(nameOf(row))) return refused;
  if (caller.holds(row)) return expectedStatus;
  const names = [...row.permissions, ...(row.environment === null ? [] : [row.environment])];
  return { status: 403, named: names.map((name) => `"${name}"`) };
}

/** What is wrong with the answer, in words; null when it is as golden.txt says. */
function faultOf(row: GoldenRow, caller: Caller, { status, body, text }: CallResult): string | null {
  const should = expected(row, caller);
  if (status !== should.status) return `${status} instead of ${should.status} (${text.slice(0, 200)})`;
  if (status < 400) return null;
  for (const property of ['id', 'name', 'message']) {
    if (typeof body?.[property] !== 'string') return `${status} without ${property}: ${text.slice(0, 200)}`;
  }
  const isRefusedByGateway = row.audience !== 'public' && status === 401;
  if (isRefusedByGateway && body.name !== 'AuthenticationRequired') return `401 with the name ${body.name}`;
  if (status === 404 && body.name !== 'NotFoundError') return `404 with the name ${body.name}`;
  if (should.named.length > 0 && body.name !== 'NoAccessError') return `403 with the name ${body.name}`;
  const missing = should.named.filter((name) => !body.message.includes(name));
  return missing.length === 0 ? null : `403 that does not name ${missing.join(' and ')}: ${body.message}`;
}

async function authRequest(row: GoldenRow, caller: Caller): Promise<CallResult> {
  const headers = { ...caller.headers };
  if (caller.person && row.path === '/logout') {
    headers.cookie = await logIn(system, caller.person.username, caller.person.password);
  }
  return system.call(row.method, pathOf(row), { token: null, headers, body: row.body });
}

/** The route with the project and the environment that are there, and with names and ids that are not. */
function pathOf(row: GoldenRow): string {
  const path = row.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'projectId') return 'default';
    if (name === 'environment') return 'production';
    return /id$/i.test(name) ? '999999' : 'nobody';
  });
  return path + row.query;
}

/** Everything that has happened, published or not. */
async function countEvents(): Promise<number> {
  const counts = await Promise.all(
    ['accounts', 'flags', 'integrations', 'signals'].map((service) =>
      system.database.rows<{ count: string }>(`select count(*) from ${service}.outbox`),
    ),
  );
  return counts.reduce((sum, [row]) => sum + Number(row?.count), 0);
}
