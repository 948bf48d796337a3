import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { run } from '../servers/run.js';

/**
 * Builds the console of the folder `source` with vite and compresses its files. The result is renamed to `out` when it
 * is whole, so a build that fails or is killed leaves nothing there. The message of an error is one line, its cause all
 * that vite said.
 */
export async function buildConsole(source: string, out: string, signal?: AbortSignal): Promise<void> {
  const folder = `${out}.new-${process.pid}`;
  mkdirSync(path.dirname(out), { recursive: true });
  try {
    await runVite(source, folder, signal);
    await compressFiles(path.join(folder, 'assets'));
    // Another start may have built the same.
    if (!existsSync(out)) renameSync(folder, out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runVite(source: string, outDir: string, signal?: AbortSignal): Promise<void> {
  const ofVite = createRequire(path.join(source, 'package.json')).resolve('vite/package.json');
  const program = path.join(path.dirname(ofVite), 'bin/vite.js');
  // Nothing else of the environment, so that the same sources give the same files everywhere.
  const env = { CONSOLE_OUT_DIR: outDir };
  const { code, output } = await run(process.execPath, [program, 'build', source], { cwd: source, env, signal });
  if (code !== 0) throw new Error(`vite ended with ${code}: ${problemIn(output)}`, { cause: output });
}

/** The line that says what is wrong. Vite prints headings before it, and an excerpt and a stack after it. */
function problemIn(output: string): string {
  const lines = stripVTControlCharacters(output).split('\n');
  const isHeading = (line: string) => /^(error during build:|Build failed with .*|\s*)$/.test(line);
  const start = lines.findIndex((line) => line.startsWith('error during build:'));
  return lines.slice(Math.max(start, 0)).find((line) => !isHeading(line)) ?? 'it said nothing';
}

/** A font or an image is compressed already. */
const isText = (name: string) => /\.(js|css|svg|json)$/.test(name);

/** With the best quality of both codings: the forms are made once and sent for as long as the build is current. */
async function compressFiles(folder: string): Promise<void> {
  const names = readdirSync(folder).filter(isText);
  await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const bytes = await readFile(file);
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes),
        promisify<Buffer, { level: number }, Buffer>(gzip)(bytes, { level: 9 }),
      ]);
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
    }),
  );
}
