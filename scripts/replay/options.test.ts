// Proves how the arguments of `npm run replay` are read. The tests of services and packages/shared/db prove its effect.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../command.ts';
import { readOptions } from './options.ts';

const environment = { DATABASE_URL: 'postgres://yardarm_flags@127.0.0.1/yardarm' };

test('the login may be in a file', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'yardarm-replay-')), 'database-url');
  writeFileSync(file, `${environment.DATABASE_URL}\n`);
  try {
    const options = readOptions(['outbox', 'flags', '2026-02-28'], { DATABASE_URL_FILE: file });
    expect(options).toMatchObject({ service: 'flags', ...environment });
  } finally {
    rmSync(path.dirname(file), { recursive: true });
  }
});

test('a time is a day, or a date-time with its zone', () => {
  const since = (time: string) => readOptions(['outbox', 'flags', time], environment);
  expect(since('2026-02-28')).toMatchObject({ since: new Date('2026-02-28T00:00:00Z') });
  expect(since('2026-02-28T12:00:00+02:00')).toMatchObject({ since: new Date('2026-02-28T10:00:00Z') });
});

test.each([
  [['outbox', 'flags', '2026-02-30']],
  [['outbox', 'flags', '2026-13-01']],
  [['outbox', 'flags', 'yesterday']],
  [['outbox', 'flags']],
  [['outbox', 'gateway', '2026-02-28']],
  [['recorded', 'integrations', '0']],
  [['recorded', 'flags', '1']],
  [['recorded', 'integrations', '1', '2']],
])('%j is refused', (words) => {
  expect(() => readOptions(words, environment)).toThrow(UsageError);
});
