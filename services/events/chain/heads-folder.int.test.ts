// Tests the files of heads on a real disk.
import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appendDropped, appendHead, appendRestored, readHeadsIn } from './heads-file.ts';

const hash = `v2.${'a'.repeat(43)}`;
let folder: string;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'heads-')), 'heads');
});

afterEach(() => rm(join(folder, '..'), { recursive: true }));

test('a replica appends to a file of its host and month, and all files of the folder are read', async () => {
  await appendHead(folder, { id: 1, hash });
  await appendDropped(folder, { id: 2, hash: '' });
  await appendRestored(folder, { id: 3, hash });
  const [file, ...others] = await readdir(folder);
  expect(others).toEqual([]);
  expect(file).toMatch(new RegExp(`^${hostname()}-\\d{4}-\\d\\d\\.heads$`));
  await writeFile(join(folder, 'gone-2025-12.heads'), `2025-12-31T00:00:00.000Z 9:${hash}\n`);
  await writeFile(join(folder, 'notes.txt'), 'of the operator');
  const { heads, dropped, restored } = await readHeadsIn(folder);
  expect([heads, dropped, restored].map((links) => links.map(({ id }) => id).sort())).toEqual([[1, 9], [2], [3]]);
  await writeFile(join(folder, 'gone-2025-12.heads'), 'no head\n');
  await expect(readHeadsIn(folder)).rejects.toThrow('gone-2025-12.heads: line 1 is no head');
});

test('a line that was torn by the end of the process does not spoil the next one', async () => {
  await appendHead(folder, { id: 1, hash });
  const [name] = await readdir(folder);
  const file = join(folder, name!);
  for (const part of [
    '2026',
    `2026-01-31T12:00:00.000Z 2:${hash.slice(0, 20)}`,
    `2026-01-31T12:00:00.000Z 3:${hash}`,
  ]) {
    await appendFile(file, part);
    expect((await readHeadsIn(file)).heads.map(({ id }) => id)).toContain(1);
    await appendHead(folder, { id: 4, hash });
  }
  expect((await readHeadsIn(file)).heads.map(({ id }) => id)).toEqual([1, 4, 4, 4]);
  expect((await readFile(file, 'utf8')).match(/ torn\n/g)).toHaveLength(3);
});
