// Proves which lines are left out when they repeat, and that their number is reported.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger, type Logger } from './index.ts';

let lines: { level: number; msg: string; [field: string]: unknown }[];
let log: Logger;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  lines = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  log = createLogger({ service: 'test', level: 'debug', destination });
});
afterEach(() => void vi.useRealTimers());

test('ten equal warnings are written in a minute, and the number of the others after it', () => {
  for (let number = 0; number < 500; number += 1) {
    log.child({ requestId: String(number) }).warn({ err: new Error('refused'), number }, 'no connection');
  }
  expect(lines).toHaveLength(10);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(11);
  expect(lines[10]).toMatchObject({
    ...{ level: 40, msg: 'repeated lines were left out' },
    ...{ line: 'no connection', reason: 'refused', leftOut: 490 },
  });
  expect(lines[10]).not.toHaveProperty('requestId');
  log.warn({ err: new Error('refused') }, 'no connection');
  expect(lines).toHaveLength(12);
});

test('lines with another message, another error or another level are counted alone', () => {
  for (let number = 0; number < 10; number += 1) {
    log.warn({ err: new Error('one') }, 'no connection');
    log.warn({ err: new Error('two') }, 'no connection');
    log.error({ err: new Error('one') }, 'no connection');
    log.warn('no connection at all');
  }
  expect(lines).toHaveLength(40);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(40);
});

test('lines that name a request are always written', () => {
  for (let number = 0; number < 50; number += 1) log.warn({ requestId: String(number) }, 'not answered');
  expect(lines).toHaveLength(50);
});

test('lines below warnings and fatal lines are always written', () => {
  for (let number = 0; number < 50; number += 1) {
    log.debug('repeats');
    log.info('repeats');
    log.fatal('repeats');
  }
  expect(lines).toHaveLength(150);
});
