import { spawnSync } from 'node:child_process';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { GatheredLines } from './gathered-lines.ts';

test('the lines of a turn are written together, in their order, and a flush writes them at once', async () => {
  const written: string[] = [];
  const lines = new GatheredLines({ write: (text) => void written.push(text) });
  lines.write('a\n');
  lines.write('b\n');
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual(['a\nb\n']);
  lines.write('c\n');
  lines.flushSync();
  expect(written).toEqual(['a\nb\n', 'c\n']);
  await nextTurn();
  expect(written).toHaveLength(2);
});

test.each([
  ['it exits', 'process.exit(0)'],
  ['an error ends it', "throw new Error('the end')"],
])('a process writes its last lines when %s', (_what, end) => {
  const log = fileURLToPath(new URL('./index.ts', import.meta.url));
  const program = `
    const { createLogger } = await import(${JSON.stringify(log)});
    createLogger({ service: 'flags', level: 'info' }).info('the last line');
    ${end};`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' });
  expect(stdout).toContain('the last line');
});
