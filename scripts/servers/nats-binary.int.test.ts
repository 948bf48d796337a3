// Proves where a nats-server comes from when the machine has none, with stand-ins for the commands of the machine.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findNats } from './nats-binary.js';

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'yardarm-find-nats-'));
  mkdirSync(path.join(folder, 'commands'));
  lines = [];
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function addCommand(name: string, script: string): void {
  const file = path.join(folder, 'commands', name);
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${folder}/${name}.calls\n${script}\n`);
  chmodSync(file, 0o755);
}

const callsOf = (name: string) =>
  readFileSync(path.join(folder, `${name}.calls`), 'utf8')
    .trim()
    .split('\n');
const dataDir = () => path.join(folder, 'data');
const find = () => findNats((line) => lines.push(line), dataDir(), [path.join(folder, 'commands')]);

const nats = 'echo "nats-server: v2.9.10"';
/** The archive is a file that dpkg-deb replaces by a program that prints its version. */
const unpacks = `mkdir -p "$3/usr/sbin" && printf '#!/bin/sh\\n${nats}\\n' > "$3/usr/sbin/nats-server" && chmod +x "$3/usr/sbin/nats-server"`;

test('the program of the machine is used', async () => {
  addCommand('nats-server', nats);
  addCommand('apt-get', 'exit 1');
  const file = path.join(folder, 'commands/nats-server');
  expect(await find()).toEqual({ kind: 'program', file, version: '2.9.10' });
});

test('a Docker that answers counts as a nats-server', async () => {
  addCommand('docker', 'exit 0');
  expect(await find()).toEqual({ kind: 'docker', image: 'nats:2.12' });
});

test('the package is unpacked into the data directory, readable by its owner alone, once', async () => {
  addCommand('docker', 'exit 1');
  addCommand('apt-get', 'touch nats-server_2.9.10_amd64.deb');
  addCommand('dpkg-deb', unpacks);
  const file = path.join(dataDir(), 'bin/nats-server');
  expect(await find()).toEqual({ kind: 'program', file, version: '2.9.10' });
  expect(await find()).toEqual({ kind: 'program', file, version: '2.9.10' });
  expect(callsOf('apt-get')).toEqual(['-o APT::Sandbox::User=root download nats-server']);
  expect(lines).toEqual(['Fetching nats-server from the package archive (apt-get download) ...']);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(path.dirname(file))).toEqual(['nats-server']);
});

test('without lists of packages apt makes its own below the data directory, which needs no root', async () => {
  addCommand(
    'apt-get',
    'case "$*" in *Dir::State::Lists=*download*) touch nats-server.deb ;; *update) ;; *) exit 100 ;; esac',
  );
  addCommand('dpkg-deb', unpacks);
  expect(await find()).toMatchObject({ version: '2.9.10' });
  const [, update] = callsOf('apt-get');
  expect(update).toMatch(new RegExp(`Dir::State::Lists=${dataDir()}/bin/apt-\\w+/lists .* update$`));
});

test('without any of them it names every way to get one, and leaves nothing behind', async () => {
  addCommand('apt-get', 'exit 100');
  addCommand('dpkg-deb', 'exit 2');
  await expect(find()).rejects.toThrow(/nats-server is missing: install it .* start Docker, or set NATS_URL/);
  expect(readdirSync(path.join(dataDir(), 'bin'))).toEqual([]);
  rmSync(path.join(folder, 'commands'), { recursive: true });
  rmSync(dataDir(), { recursive: true });
  await expect(find()).rejects.toThrow('nats-server is missing');
  expect(existsSync(dataDir())).toBe(false);
});
