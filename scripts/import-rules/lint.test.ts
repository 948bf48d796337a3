import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The rules about names are in biome.json. This proves on a tree in the temporary folder that their overrides apply to
// the right files.

const root = path.resolve(import.meta.dirname, '../..');
const environment = 'export const port = process.env.PORT;\n';
const call = "export const load = () => fetch('https://example.org');\n";
const print = "console.log('started');\n";
const floating = 'export async function save() {}\n\nexport function go() {\n  save();\n}\n';
const files: Record<string, { text: string; breaks?: string }> = {
  'services/flags/service.ts': { text: environment, breaks: 'style/noProcessEnv' },
  'services/flags/config.ts': { text: environment },
  'packages/shared/log/log.ts': { text: environment, breaks: 'style/noProcessEnv' },
  'scripts/start/main.ts': { text: environment, breaks: 'style/noProcessEnv' },
  'scripts/start/options.ts': { text: environment },
  'services/integrations/webhook.ts': { text: call, breaks: 'style/noRestrictedGlobals' },
  'packages/shared/bus/call.ts': { text: call, breaks: 'style/noRestrictedGlobals' },
  'packages/shared/http/call.ts': { text: call },
  'services/integrations/webhook.int.test.ts': { text: call },
  'packages/testing/receiver.ts': { text: call },
  'services/flags/main.ts': { text: print, breaks: 'suspicious/noConsole' },
  'scripts/demo.ts': { text: print },
  'services/flags/go.ts': { text: floating, breaks: 'nursery/noFloatingPromises' },
  'services/flags/flag.ts': { text: 'export default 1;\n', breaks: 'style/noDefaultExport' },
  'services/flags/NameOfFile.ts': { text: 'export const a = 1;\n', breaks: 'style/useFilenamingConvention' },
};

let folder: string;
let broken: Map<string, string>;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'yardarm-lint-')));
  copyFileSync(path.join(root, 'biome.json'), path.join(folder, 'biome.json'));
  for (const [file, { text }] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  const { stdout, stderr } = spawnSync(
    path.join(root, 'node_modules/.bin/biome'),
    ['lint', '--vcs-enabled=false', '--error-on-warnings', '--colors=off', '--reporter=github', '.'],
    { cwd: folder, encoding: 'utf8' },
  );
  // ::error title=lint/style/noProcessEnv,file=services/flags/service.ts,line=1,...
  const lines = `${stdout}${stderr}`.matchAll(/title=lint\/([^,]+),file=([^,]+),/g);
  broken = new Map([...lines].map(([, rule, file]) => [path.relative(folder, path.resolve(folder, file!)), rule!]));
});

afterAll(() => rmSync(folder, { recursive: true }));

const cases = Object.entries(files).map(([file, { breaks }]) => ({ file, breaks, verdict: breaks ?? 'nothing' }));

test.each(cases)('finds $verdict in $file', ({ file, breaks }) => {
  expect(broken.get(file)).toBe(breaks);
});
