import { spawn } from 'node:child_process';
import path from 'node:path';
import { compileCache } from '@yardarm/testing';

const main = path.resolve(import.meta.dirname, '../main.ts');

/** Runs `npm run demo` as a process, with the settings alone. */
export function runDemo(
  settings: Record<string, string>,
  args: readonly string[] = [],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...compileCache, ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
