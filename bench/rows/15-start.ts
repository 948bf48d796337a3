// Runs `npm start` in its own data folder until a listing answers with the SDK token that it printed or stored.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/servers/free-port.ts';
import { findNats } from '../../scripts/servers/nats-binary.js';
import { atMost } from '../measurement.ts';
import { machineEnvironment } from '../options.ts';
import type { Row } from '../row.ts';
import { isAnswered } from '../system/is-answered.ts';

const root = path.resolve(import.meta.dirname, '../..');
const startLimitMs = 120_000;

export const start: Row = {
  number: '15',
  title: 'npm start, the first and the second time',
  async measure(bench) {
    await bench.stage.stopRunning();
    const first: number[] = [];
    const second: number[] = [];
    for (let run = 0; run < bench.runs; run += 1) {
      const folder = bench.stage.folder(`start-${run}`);
      // The goal does not include the download of NATS.
      await findNats(bench.say, folder);
      const { seconds, sdkToken } = await measureStart(folder);
      first.push(seconds);
      second.push((await measureStart(folder, sdkToken)).seconds);
      rmSync(folder, { recursive: true, force: true });
    }
    const named = { row: '15', unit: 's' };
    return [
      atMost(12, { subject: first, baseline: [] }, { ...named, what: 'npm start, empty data folder' }),
      atMost(6, { subject: second, baseline: [] }, { ...named, what: 'npm start, second time' }),
    ];
  },
};

/** Starts, waits for the listing and stops. Only the first start prints the token. */
async function measureStart(folder: string, knownToken?: string): Promise<{ seconds: number; sdkToken: string }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...machineEnvironment(), PORT: String(port), YARDARM_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  try {
    const sdkToken = knownToken ?? (await printedToken(child));
    const headers = { authorization: sdkToken };
    const url = `http://127.0.0.1:${port}/api/client/features`;
    while (!(await isAnswered(url, headers))) {
      if (child.exitCode !== null) throw new Error('npm start ended');
      if (performance.now() - startedAt > startLimitMs) throw new Error('the listing does not answer');
      await sleep(10);
    }
    return { seconds: (performance.now() - startedAt) / 1_000, sdkToken };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'close');
  }
}

function printedToken(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line);
        const token = /^\s*SDK token\s+(\S+:\S+)$/.exec(line)?.[1];
        if (token) resolve(token);
      });
    }
    child.once('exit', () => reject(new Error(`npm start printed no SDK token: ${lines.join('\n')}`)));
  });
}
