// @ts-check
// Finds programs of the machine, and fetches them from the archive of Debian or Ubuntu. `npm start` needs this before
// the packages are installed, so this and what it imports is plain JavaScript without packages, for Node 20.

import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.js';

/** @typedef {{ kind: 'program', file: string, version: string }} Program */

/** The folder of fetched programs, in the data directory of `npm start`. */
export const programsFolder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../.yardarm/bin');

/** The folders of commands: the PATH, then the folders that the PATH of an ordinary user or a service often lacks. */
export function commandFolders() {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return [...new Set([...onPath, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])];
}

/**
 * @param {string} name
 * @param {readonly string[]} folders
 */
export function findCommand(name, folders) {
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
 * @returns {Promise<Program | undefined>}
 */
export async function asProgram(file) {
  if (!file) return undefined;
  const version = /v?(\d+\.\d+\.\d+)/.exec((await run(file, ['--version'])).output)?.[1];
  return version ? { kind: 'program', file, version } : undefined;
}

/**
 * Extracts a program of a package of Debian or Ubuntu, which needs no root. Installing the package could start a
 * service on a standard port.
 *
 * @param {{ packageName: string, program: string }} wanted
 * @param {(line: string) => void} log
 * @param {string} folder
 * @param {readonly string[]} folders the folders of commands
 * @returns {Promise<Program | undefined>}
 */
export async function fromArchive({ packageName, program: name }, log, folder, folders) {
  const kept = path.join(folder, name);
  const program = await asProgram(existsSync(kept) ? kept : undefined);
  if (program) return program;
  return await withPackage(packageName, name, log, folder, folders, async (unpacked) => {
    const file = ['usr/sbin', 'usr/bin'].map((place) => path.join(unpacked, place, name)).find(existsSync);
    if (!file) return undefined;
    // Renamed, because another start may be running the present file.
    renameSync(file, kept);
    return await asProgram(kept);
  });
}

/**
 * Calls `use` with the folder of an unpacked package of Debian or Ubuntu, which is removed afterwards. Returns
 * undefined where there is no such package, or nothing that fetches it.
 *
 * @template Result
 * @param {string} packageName
 * @param {string} name what is fetched, for the log
 * @param {(line: string) => void} log
 * @param {string} folder where it works
 * @param {readonly string[]} folders the folders of commands
 * @param {(unpacked: string) => Promise<Result | undefined>} use
 * @returns {Promise<Result | undefined>}
 */
export async function withPackage(packageName, name, log, folder, folders, use) {
  const [aptGet, dpkgDeb] = ['apt-get', 'dpkg-deb'].map((command) => findCommand(command, folders));
  if (!aptGet || !dpkgDeb) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const work = mkdtempSync(path.join(folder, 'apt-'));
  try {
    log(`Fetching ${name} from the package archive (apt-get download) ...`);
    /** @param {string[]} args */
    const apt = (...args) => run(aptGet, ['-o', 'APT::Sandbox::User=root', ...args], { cwd: work });
    if ((await apt('download', packageName)).code !== 0) {
      // Without lists, as in a fresh container, apt knows no package. Only root may write the lists of the machine.
      for (const part of ['lists/partial', 'cache/archives/partial'])
        mkdirSync(path.join(work, part), { recursive: true });
      const own = ['-o', `Dir::State::Lists=${work}/lists`, '-o', `Dir::Cache=${work}/cache`];
      await apt(...own, 'update');
      await apt(...own, 'download', packageName);
    }
    const archive = readdirSync(work).find((file) => file.endsWith('.deb'));
    if (!archive) return undefined;
    await run(dpkgDeb, ['-x', archive, 'unpacked'], { cwd: work });
    return await use(path.join(work, 'unpacked'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
