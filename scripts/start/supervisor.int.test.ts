// Proves the supervisor's state machine on real processes. start.int.test.ts tests the launcher.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { birthOf } from '../servers/processes.ts';
import { SupervisedService, stopServices } from './supervisor.ts';

let folder: string;
let services: SupervisedService[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-supervisor-'));
  services = [];
});

afterEach(async () => {
  await stopServices(services, 'gateway', 100);
  rmSync(folder, { recursive: true, force: true });
});

function supervised(
  name: string,
  code: string,
  say: (line: string) => void = () => {},
  onRefused?: (reason: string) => void,
): SupervisedService {
  const file = path.join(folder, `${name}.mjs`);
  const events = JSON.stringify(path.join(folder, 'events'));
  const note = `import { appendFileSync } from 'node:fs'; const note = (what) => appendFileSync(${events}, '${name} ' + what + '\\n');`;
  writeFileSync(file, `${note}\n${code}\nnote('started');`);
  const service = new SupervisedService(
    { name, file, environment: {}, logFile: path.join(folder, `${name}.log`) },
    say,
    onRefused === undefined ? {} : { onRefused },
  );
  services.push(service);
  return service;
}

const lives = `setInterval(() => {}, 1000); process.on('SIGTERM', () => { note('stopped'); process.exit(0); });`;

function events(): string[] {
  try {
    return readFileSync(path.join(folder, 'events'), 'utf8').trim().split('\n');
  } catch {
    // There is no event yet.
    return [];
  }
}

test('restarts a service each time it ends, with a longer delay each time', async () => {
  const said: string[] = [];
  const service = supervised('flags', 'setTimeout(() => process.exit(1), 10);', (line) => {
    if (said.push(line) === 3) service.stop();
  });
  await service.start();
  await service.ended;
  expect(events()).toEqual(['flags started', 'flags started', 'flags started']);
  expect(said.map((line) => /again in ([\d.]+) s/.exec(line)?.[1])).toEqual(['0.2', '0.4', '0.8']);
});

test('does not restart a service after stop(), also not one that waits for its restart', async () => {
  const service = supervised(
    'flags',
    'process.on("exit", () => note("ended")); setTimeout(() => process.exit(1), 10);',
  );
  await service.start();
  await expect.poll(() => service.failures).toBe(1);
  service.stop();
  await service.ended;
  await service.start();
  expect(service.pid).toBeUndefined();
});

test('does not restart a service that ended because a setting is wrong, and passes on its reason', async () => {
  const line = JSON.stringify({ level: 60, msg: 'a setting is wrong', err: { message: 'Set YARDARM_PREFIX.' } });
  const reasons: string[] = [];
  const code = `console.log('{"level":30,"msg":"hello"}'); console.log(${JSON.stringify(line)}); process.exitCode = 2;`;
  const service = supervised('flags', code, undefined, (reason) => reasons.push(reason));
  await service.start();
  await expect.poll(() => reasons).toEqual(['Set YARDARM_PREFIX.']);
  expect(service.failures).toBe(0);
  service.stop();
  await service.ended;
  expect(events()).toEqual(['flags started']);
});

test('stops the gateway before the others', async () => {
  for (const name of ['flags', 'gateway', 'events']) await supervised(name, lives).start();
  await expect.poll(events).toHaveLength(3);
  await stopServices(services, 'gateway');
  expect(events()[3]).toBe('gateway stopped');
  expect(events()).toHaveLength(6);
});

test('kills a service that does not stop in time', async () => {
  const service = supervised('flags', `setInterval(() => {}, 1000); process.on('SIGTERM', () => {});`);
  await service.start();
  await expect.poll(events).toHaveLength(1);
  const { pid } = service;
  await stopServices(services, 'gateway', 300);
  expect(birthOf(pid!)).toBeUndefined();
});

test('writes the output of a service to its log, also uncaught errors', async () => {
  const service = supervised(
    'flags',
    `console.log('{"level":30,"msg":"hello"}'); setTimeout(() => { throw new Error('boom'); }, 10);`,
  );
  await service.start();
  await expect.poll(() => service.failures).toBeGreaterThan(0);
  await expect.poll(() => readFileSync(path.join(folder, 'flags.log'), 'utf8')).toMatch(/hello[\s\S]*boom/);
});
