// `npm run demo` as a process against a running system. Its steps fail by themselves when something did not happen.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDemo } from '../scripts/demo/testing/run-demo.ts';

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

function demo(of: TestSystem, settings: Record<string, string> = {}, args: string[] = []) {
  const tokens = { YARDARM_ADMIN_TOKEN: of.adminToken, YARDARM_SDK_TOKEN: of.clientTokens.development };
  return runDemo({ YARDARM_URL: of.url, ...tokens, ...settings }, args);
}

test('shows a flag, the SDK, the search and the webhook, by a URL and tokens', async () => {
  const { code, output } = await demo(system);
  expect(output).toMatch(/the SDK sees it on[\s\S]*feature-environment-enabled[\s\S]*all of it happened\n$/);
  expect(output.match(/webhook for event \d+: success/g)).toHaveLength(2);
  expect(code).toBe(0);
  for (const path of ['/api/admin/projects/default/features', '/api/admin/search/features?archived=IS:true'])
    expect((await system.call('GET', path)).body.features).toEqual([]);
  expect((await system.call('GET', '/api/admin/addons')).body.addons).toEqual([]);
});

test('shows the senders of signals', async () => {
  const { code, output } = await demo(system, {}, ['signals']);
  expect(output).toMatch(/alertmanager: the alert switched the flag off[\s\S]*all of it happened\n$/);
  expect(code).toBe(0);
});

test('does not report a webhook that is refused as a success, and names the setting', async () => {
  const guarded = await startSystem({ INTEGRATIONS_ALLOWED_PRIVATE: '' });
  try {
    const { code, output } = await demo(guarded);
    expect(output).toContain('start it with INTEGRATIONS_ALLOWED_PRIVATE=127.0.0.1');
    expect(output).not.toContain('all of it happened');
    expect(code).toBe(1);
  } finally {
    await guarded.stop();
  }
});

test.each([
  ['YARDARM_ADMIN_TOKEN', '*:*.of-another-system', 'an admin token'],
  ['YARDARM_SDK_TOKEN', '*:development.of-another-system', 'a client token'],
])('refuses a %s of another system in one sentence', async (setting, token, kind) => {
  const { code, output } = await demo(system, { [setting]: token });
  expect(output).toContain(`the demo failed: the token in ${setting} is not ${kind} of the system at ${system.url}`);
  expect(output.trim().split('\n')).toHaveLength(1);
  expect(output).not.toContain(token);
  expect(code).toBe(1);
});

test('refuses an SDK token of another environment, and needs tokens and credentials that can be read', async () => {
  const production = await demo(system, { YARDARM_SDK_TOKEN: system.clientTokens.production });
  expect(production.output).toContain('YARDARM_SDK_TOKEN: should be a client token of the environment development');
  const folder = { YARDARM_DATA_DIR: '/no/such/folder', YARDARM_ADMIN_TOKEN: '' };
  const without = await demo(system, folder);
  expect(without.output).toContain('there is no YARDARM_ADMIN_TOKEN: set it, or run npm start first');
  const damaged = mkdtempSync(path.join(tmpdir(), 'yardarm-demo-'));
  writeFileSync(path.join(damaged, 'credentials.json'), '{"adminToken":');
  const unread = await demo(system, { ...folder, YARDARM_DATA_DIR: damaged });
  rmSync(damaged, { recursive: true });
  expect(unread.output).toContain(`${path.join(damaged, 'credentials.json')} is damaged`);
  expect([production.code, without.code, unread.code]).toEqual([1, 1, 1]);
});
