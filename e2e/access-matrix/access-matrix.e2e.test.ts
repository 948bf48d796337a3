// Every caller requests every route of the OpenAPI document. golden.txt, written by hand, has the expected answers. In
// a short run each route is requested by one caller of each kind, and by those who have its permissions alone.
import { type CallResult, isLongRun, logIn, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, createCallers, createCallerWithout } from './callers.ts';
import { allowedBeforePasswordChange, type GoldenRow, golden, type Kind } from './golden.ts';
import { sixAtATime } from './six-at-a-time.ts';

let system: TestSystem;
let callers: Caller[];
const callersWithout = new Map<string, Caller>();

beforeAll(async () => {
  // All requests come from one address, so the limits per address are raised.
  system = await startSystem({
    SIMPLE_LOGIN_LIMIT_PER_MINUTE: '1000',
    PASSWORD_RESET_LIMIT_PER_MINUTE: '1000',
    UNKNOWN_TOKEN_LIMIT_PER_MINUTE: '0',
  });
  callers = await createCallers(system, golden);
  const sets = new Map(golden.map(({ permissions }) => [permissions.join(), permissions]));
  sets.delete('');
  await sixAtATime([...sets], async ([key, permissions]) => {
    callersWithout.set(key, await createCallerWithout(system, permissions));
  });
}, 120_000);

afterAll(() => system?.stop());

const nameOf = (row: { method: string; path: string }) => `${row.method} ${row.path}`;

test('the document and golden.txt have the same routes', async () => {
  const { body } = await system.call('GET', '/docs/openapi.json', { token: null });
  const documented = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => nameOf({ method: method.toUpperCase(), path })),
  );
  expect(golden.map(nameOf).toSorted()).toEqual(documented.toSorted());
});

/** They need a permission of projects for all projects, which no role in a project gives. */
const ofAllProjects = ['POST /api/admin/tags', 'DELETE /api/admin/tags/{type}/{value}'];

test.each([
  ['E', 'Editor', 2],
  ['V', 'Viewer', 3],
  ['O', 'Owner', 4],
  ['M', 'Member', 5],
] as const)('golden.txt has the letter %s where the permissions of the %s suffice', async (letter, _name, id) => {
  const { body } = await system.call('GET', `/api/admin/roles/${id}`);
  const held = new Set(body.permissions.map(({ name }: { name: string }) => name));
  const isOfProject = letter === 'O' || letter === 'M';
  const restricted = golden.filter(
    (row) => row.permissions.length > 0 && !(isOfProject && ofAllProjects.includes(nameOf(row))),
  );
  const lettered = restricted.filter(({ grantedBy }) => grantedBy.includes(letter));
  const allowed = restricted.filter(({ permissions }) => permissions.some((permission) => held.has(permission)));
  expect(lettered.map(nameOf)).toEqual(allowed.map(nameOf));
});

function callersOf({ permissions }: GoldenRow): Caller[] {
  if (isLongRun) return callers;
  return callers.filter(({ kind, permission }, index) =>
    permission === undefined
      ? callers.findIndex((caller) => caller.kind === kind) === index
      : permissions.includes(permission),
  );
}

describe('every caller gets the expected answer from', () => {
  let eventsBefore: number;

  beforeAll(async () => {
    eventsBefore = await countEvents();
  });

  test.each(golden.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
    const callerWithout = callersWithout.get(row.permissions.join());
    const problems = await sixAtATime(
      [...callersOf(row), ...(callerWithout ? [callerWithout] : [])],
      async (caller) => {
        const problem = problemOf(row, caller, await sendRequest(row, caller));
        return problem === null ? [] : [`${caller.name}: ${problem}`];
      },
    );
    expect(problems.flat()).toEqual([]);
  });

  test('no request has changed anything', async () => {
    expect(await countEvents()).toBe(eventsBefore);
  });
});

describe('a wrong answer is reported', () => {
  const row: GoldenRow = {
    ...{ method: 'POST', path: '/x', audience: 'admin', permissions: ['CREATE_ADDON'], environment: 'production' },
    isAnywhere: false,
    ...{ grantedBy: ['E'], expectedStatus: 400, exceptions: {}, body: {}, query: '', project: 'default' },
  };
  const caller = (kind: Caller['kind'], holds: boolean): Caller => ({
    ...{ name: 'x', kind, headers: {}, holds: () => holds },
  });
  const answered = (status: number, name: string, message = '') =>
    ({
      status,
      text: message,
      headers: new Headers(),
      body: { id: 'x', name, message, details: [{ message }] },
    }) satisfies CallResult;

  test.each([
    [
      'a caller who is allowed without permission',
      caller('person', false),
      answered(400, 'ValidationError'),
      '400 instead of 403',
    ],
    [
      'a caller who is refused with permission',
      caller('person', true),
      answered(403, 'NoAccessError'),
      '403 instead of 400',
    ],
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
    [
      'a caller without a token and a 403',
      caller('unauthenticated', false),
      answered(403, 'NoAccessError'),
      '403 instead of 401',
    ],
    [
      'a client token with a 401',
      caller('client', true),
      answered(401, 'AuthenticationRequired'),
      '401 instead of 403',
    ],
  ])('%s', (_title, sender, answer, problem) => {
    expect(problemOf(row, sender, answer)).toContain(problem);
  });
});

/** The kinds of callers that admin routes authenticate. Their permissions decide the rest. */
const adminKinds: readonly Kind[] = ['admin token', 'person', 'service account'];

/** The answer that this caller gets according to golden.txt: the status and the names in its message. */
function expectedAnswer(row: GoldenRow, caller: Caller): { status: number; named: string[] } {
  const allowed = { status: row.exceptions[caller.kind] ?? row.expectedStatus, named: [] };
  const refused = { status: 403, named: [] };
  if (row.audience === 'public') return allowed;
  if (caller.kind === 'unauthenticated') return { status: 401, named: [] };
  if (row.audience !== 'admin') {
    const kinds = row.audience === 'evaluation' ? ['client', 'frontend'] : [row.audience];
    if (kinds.includes(caller.kind)) return allowed;
    // These routes ignore cookies and read only the authorization header.
    return caller.person ? { status: 401, named: [] } : refused;
  }
  if (!adminKinds.includes(caller.kind)) return refused;
  if (caller.mustChoosePassword && !allowedBeforePasswordChange.includes(nameOf(row))) return refused;
  if (caller.holds(row)) return allowed;
  const names = [...row.permissions, ...(row.environment === null ? [] : [row.environment])];
  return { status: 403, named: names.map((name) => `"${name}"`) };
}

/** Describes how the answer differs from golden.txt; null when it does not. */
function problemOf(row: GoldenRow, caller: Caller, { status, body, text }: CallResult): string | null {
  const expected = expectedAnswer(row, caller);
  if (status !== expected.status) return `${status} instead of ${expected.status} (${text.slice(0, 200)})`;
  if (status < 400) return null;
  for (const property of ['id', 'name', 'message']) {
    if (typeof body?.[property] !== 'string') return `${status} without ${property}: ${text.slice(0, 200)}`;
  }
  if (typeof body.details?.[0]?.message !== 'string') return `${status} without details: ${text.slice(0, 200)}`;
  const isRefusedByGateway = row.audience !== 'public' && status === 401;
  if (isRefusedByGateway && body.name !== 'AuthenticationRequired') return `401 with the name ${body.name}`;
  if (status === 404 && body.name !== 'NotFoundError') return `404 with the name ${body.name}`;
  if (expected.named.length > 0 && body.name !== 'NoAccessError') return `403 with the name ${body.name}`;
  const missing = expected.named.filter((name) => !body.message.includes(name));
  return missing.length === 0 ? null : `403 that does not name ${missing.join(' and ')}: ${body.message}`;
}

async function sendRequest(row: GoldenRow, caller: Caller): Promise<CallResult> {
  const headers = { ...caller.headers };
  // The only scheme of these routes.
  if (row.audience === 'signal' && headers.authorization) headers.authorization = `Bearer ${headers.authorization}`;
  if (caller.person && row.path === '/logout') {
    headers.cookie = await logIn(system, caller.person.username, caller.person.password);
  }
  return system.call(row.method, pathOf(row), { token: null, headers, body: row.body });
}

/** The path with the row's project and the environment of its permission. Other names and ids do not exist. */
function pathOf(row: GoldenRow): string {
  const path = row.path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    if (name === 'projectId') return row.project;
    if (name === 'environment' && row.environment !== null) return row.environment;
    return /id$/i.test(name) ? '999999' : 'nobody';
  });
  return path + row.query;
}

async function countEvents(): Promise<number> {
  const counts = await Promise.all(
    ['accounts', 'flags', 'integrations', 'signals'].map((service) =>
      system.database.rows<{ count: string }>(`select count(*) from ${service}.outbox`),
    ),
  );
  return counts.reduce((sum, [row]) => sum + Number(row?.count), 0);
}
