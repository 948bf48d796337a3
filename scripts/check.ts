import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

// `npm run check`: every check of the sources that does not run them. Each check is a command of its own. All start at
// once, and each prints its line when it is done.

interface Check {
  name: string;
  command: string[];
}

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) => path.join(root, 'node_modules', '.bin', name);

// Biome also colours a pipe.
const colors = `--colors=${process.stdout.isTTY ? 'force' : 'off'}`;

const checks: Check[] = [
  {
    name: 'format and lint',
    command: [bin('biome'), 'ci', '--error-on-warnings', '--max-diagnostics=200', colors, '.'],
  },
  { name: 'import rules', command: [process.execPath, 'scripts/import-rules/main.ts', '.'] },
  { name: 'texts', command: [process.execPath, 'scripts/texts/main.ts'] },
  { name: 'types', command: [bin('tsc'), '-p', '.'] },
  { name: 'console', command: [bin('tsc'), '-p', 'packages/console'] },
  { name: 'console types', command: [process.execPath, 'scripts/console-types.ts', '--check'] },
  { name: 'contracts page', command: [process.execPath, 'scripts/contracts-page.ts', '--check'] },
].filter(({ command: [, script] }) => !script?.endsWith('.ts') || existsSync(path.join(root, script)));

async function run({ name, command: [file, ...args] }: Check): Promise<boolean> {
  const startedAt = performance.now();
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(file!, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: null, output: `${file} could not be started: ${error.message}` }));
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString().trim() }));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5);
  console.log(`${name.padEnd(16)} ${seconds} s  ${code === 0 ? 'ok' : 'failed'}`);
  if (code !== 0) console.log(`\n${output}\n`);
  return code === 0;
}

const results = await Promise.all(checks.map(run));
if (results.includes(false)) process.exitCode = 1;
