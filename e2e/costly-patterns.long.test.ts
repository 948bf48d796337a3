// `npm run costly-patterns` in an installation that has patterns of a version without the present bounds.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { administer, makeFlag, makeSdkToken, switchOn, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;

/** 1,000 repeats, which an earlier version accepted, and 1,004 instructions. */
const repeated = 'a[ab]{999}c';
const simple = '^a+$';
const constraint = (value: string) => ({ contextName: 'userId', operator: 'REGEX', value });

/** Stores the pattern as the earlier version did: no request can store it now. */
async function storeAsBefore(table: 'segments' | 'feature_strategies', column: string, key: unknown): Promise<void> {
  const stored = JSON.stringify([{ ...constraint(repeated), inverted: false, caseInsensitive: false }]);
  await system.database.rows(`update flags.${table} set constraints = $1 where ${column} = $2`, [stored, key]);
}

async function run(...options: string[]): Promise<{ code: number | null; output: string; errors: string }> {
  const child = spawn(process.execPath, ['scripts/costly-patterns.ts', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output, errors };
}

beforeAll(async () => {
  system = await startSystem();
  await administer(system, 'POST', '/api/admin/projects', { id: 'other', name: 'Other' });
  const early = { name: 'early', constraints: [constraint(simple)] };
  const segment = await administer(system, 'POST', '/api/admin/segments', early);
  await storeAsBefore('segments', 'id', segment.id);
  await makeFlag(system, 'default', 'old', { name: 'default', constraints: [constraint(simple)] });
  await storeAsBefore('feature_strategies', 'feature_name', 'old');
  await makeFlag(system, 'default', 'new', {
    name: 'default',
    constraints: [constraint(simple)],
    segments: [segment.id],
  });
  await makeFlag(system, 'other', 'plain', { name: 'default', constraints: [constraint(simple)] });
  // Gateways read a flag again after a change of it.
  for (const name of ['old', 'new']) await switchOn(system, 'default', name);
  await switchOn(system, 'other', 'plain');
  await system.processAll();
});

afterAll(() => system?.stop());

test('patterns beyond the bounds are listed with their place, and the exit code is 1', async () => {
  const { code, output, errors } = await run(
    '--url',
    system.url,
    '--token',
    await makeSdkToken(system, 'client', 'default'),
  );
  expect({ code, errors }).toEqual({ code: 1, errors: '' });
  const lines = output.trimEnd().split('\n');
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual(expect.stringMatching(/^ +\d{4} {2}flag old, userId: a\[ab\]\{999\}c$/));
  expect(lines).toContainEqual(expect.stringMatching(/^ +\d{4} {2}segment \d+ \(early\), userId: a\[ab\]\{999\}c$/));
});

test('a listed pattern still works, and cannot be saved again', async () => {
  const token = await makeSdkToken(system, 'frontend', 'default');
  const isOn = async (userId: string) => {
    const { body } = await system.call('POST', '/api/frontend', { token, body: { context: { userId } } });
    return body.toggles.some(({ name }: { name: string }) => name === 'old');
  };
  expect(await isOn('someone')).toBe(false);
  const saved = await system.call('POST', '/api/admin/constraints/validate', { body: constraint(repeated) });
  expect(saved.status).toBe(400);
});

test('without such patterns nothing is listed, and the exit code is 0', async () => {
  const { code, output } = await run('--url', system.url, '--token', await makeSdkToken(system, 'client', 'other'));
  expect({ code, output }).toEqual({ code: 0, output: '' });
});

test('a token that may not read, and a missing one, have the exit code 2', async () => {
  const refused = await run('--url', system.url, '--token', 'default:development.none');
  expect({ code: refused.code, errors: refused.errors }).toMatchObject({
    code: 2,
    errors: expect.stringContaining('401'),
  });
  expect((await run('--url', system.url)).code).toBe(2);
});
