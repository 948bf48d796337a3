import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openCoreShares } from './core-shares.ts';

test('where a folder is no cgroup, there are no shares, and nothing is left', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-no-cgroup-'));
  try {
    expect(openCoreShares(0.5, folder)).toBeNull();
    expect(openCoreShares(0.5, path.join(folder, 'missing'))).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
