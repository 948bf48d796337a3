import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RotatingLog } from './log-file.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a log begins a new file above 10 MB and keeps the one before it', () => {
  const file = path.join(folder, 'gateway.log');
  const log = new RotatingLog(file);
  const line = 'x'.repeat(99_999);
  for (let count = 0; count < 250; count += 1) log.write(line);
  log.write('last');
  log.close();
  expect(readFileSync(file, 'utf8').endsWith('\nlast\n')).toBe(true);
  for (const each of [file, `${file}.1`]) expect(statSync(each).size).toBeLessThan(10_200_000);
  expect(statSync(file).size).toBeGreaterThan(4_000_000);
});
