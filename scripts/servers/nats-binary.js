// @ts-check
// Finds a nats-server. `npm start` needs one before the packages are installed, so this and what it imports is plain
// JavaScript without packages, for Node 20.

import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';

/** @typedef {{ kind: 'program', file: string, version: string } | { kind: 'docker', image: string }} NatsProgram */

export const natsImage = 'nats:2.12';

/** The data directory of `npm start`, unless it is given another. */
const defaultFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../.yardarm');

/** The folders of commands: the PATH, then the folders that the PATH of an ordinary user or a service often lacks. */
function commandFolders() {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...new Set([...onPath, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])];
}

/**
 * @param {string} name
 * @param {readonly string[]} folders
 */
function findCommand(name, folders) {
  return folders
    .map((folder) => path.join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        // Missing, or not executable for us.
        return false;
      }
    });
}

/**
 * @param {string | undefined} file
 * @returns {Promise<NatsProgram | undefined>}
 */
async function asProgram(file) {
  if (!file) return undefined;
  const version = /v?(\d+\.\d+\.\d+)/.exec((await run(file, ['--version'])).output)?.[1];
  return version ? { kind: 'program', file, version } : undefined;
}

/**
 * Whether a Docker daemon answers and has the image or can get it.
 *
 * @param {(line: string) => void} log
 * @param {readonly string[]} folders
 * @returns {Promise<NatsProgram | undefined>}
 */
async function inDocker(log, folders) {
  const docker = findCommand('docker', folders);
  if (!docker) return undefined;
  // 5 s: a client without a daemon may try for long.
  const answers = await run(docker, ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 5_000 });
  if (answers.code !== 0) return undefined;
  if ((await run(docker, ['image', 'inspect', natsImage])).code !== 0) {
    log(`Fetching the image ${natsImage} ...`);
    // The image has 10 MB. Two minutes are enough for a slow line, and end the wait for a registry that does not
    // answer.
    const pull = await run(docker, ['pull', '--quiet', natsImage], { timeoutMs: 120_000 });
    if (pull.code !== 0) return undefined;
  }
  return { kind: 'docker', image: natsImage };
}

/**
 * Extracts the program of Debian's or Ubuntu's package, which needs no root. Installing the package would start a
 * service on port 4222.
 *
 * @param {(line: string) => void} log
 * @param {string} folder
 * @param {readonly string[]} folders
 * @returns {Promise<NatsProgram | undefined>}
 */
async function fromApt(log, folder, folders) {
  const kept = path.join(folder, 'nats-server');
  const program = await asProgram(existsSync(kept) ? kept : undefined);
  if (program) return program;
  const [aptGet, dpkgDeb] = ['apt-get', 'dpkg-deb'].map((name) => findCommand(name, folders));
  if (!aptGet || !dpkgDeb) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(path.join(folder, 'apt-'));
  try {
    log('Fetching nats-server from the package archive (apt-get download) ...');
    /** @param {string[]} args */
    const apt = (...args) => run(aptGet, ['-o', 'APT::Sandbox::User=root', ...args], { cwd: work });
    if ((await apt('download', 'nats-server')).code !== 0) {
      // Without lists, as in a fresh container, apt knows no package. Only root may write the lists of the machine.
      for (const part of ['lists/partial', 'cache/archives/partial'])
        mkdirSync(path.join(work, part), { recursive: true });
      const own = ['-o', `Dir::State::Lists=${work}/lists`, '-o', `Dir::Cache=${work}/cache`];
      await apt(...own, 'update');
      await apt(...own, 'download', 'nats-server');
    }
    const archive = readdirSync(work).find((name) => name.endsWith('.deb'));
    if (!archive) return undefined;
    await run(dpkgDeb, ['-x', archive, 'unpacked'], { cwd: work });
    const file = ['usr/sbin', 'usr/bin']
      .map((place) => path.join(work, 'unpacked', place, 'nats-server'))
      .find(existsSync);
    if (!file) return undefined;
    // Renamed, because another start may be running the present file.
    renameSync(file, kept);
    return await asProgram(kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Finds a nats-server: a program of this machine, else Docker, else Debian's or Ubuntu's archive, from which it is put
 * into the folder `bin` of the data directory.
 *
 * @param {(line: string) => void} log
 * @param {string} [dataDir]
 * @param {readonly string[]} [folders] the folders of commands
 * @returns {Promise<NatsProgram>}
 */
export async function findNats(log, dataDir = defaultFolder, folders = commandFolders()) {
  const found =
    (await asProgram(findCommand('nats-server', folders))) ??
    (await inDocker(log, folders)) ??
    (await fromApt(log, path.join(dataDir, 'bin'), folders));
  if (found) return found;
  throw new Error(
    'nats-server is missing: install it (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server; ' +
      'else https://github.com/nats-io/nats-server/releases), start Docker, or set NATS_URL',
  );
}
