import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RestoreError } from '@yardarm/shared/db';
import { expect, test } from 'vitest';
import { openRestored } from './options.ts';

test.each(['', 'missing'])(
  'a data folder without a Postgres is refused, and nothing is made in it (%j)',
  async (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-restore-'));
    try {
      const opened = openRestored({ YARDARM_DATA_DIR: path.join(folder, name) });
      await expect(opened).rejects.toThrow(RestoreError);
      await expect(opened).rejects.toThrow('set YARDARM_DATA_DIR to the data folder, or DATABASE_URL');
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
