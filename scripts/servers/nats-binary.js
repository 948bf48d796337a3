// @ts-check
// Finds a nats-server. `npm start` needs one before the packages are installed, so this and what it imports is plain
// JavaScript without packages, for Node 20.

import path from 'node:path';
import { asProgram, commandFolders, findCommand, fromArchive, programsFolder } from './archive-program.js';
import { run } from './run.js';

/** @typedef {import('./archive-program.js').Program | { kind: 'docker', image: string }} NatsProgram */

export const natsImage = 'nats:2.12';

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
 * Finds a nats-server: a program of this machine, else Docker, else Debian's or Ubuntu's archive, from which it is put
 * into the folder `bin` of the data directory.
 *
 * @param {(line: string) => void} log
 * @param {string} [dataDir]
 * @param {readonly string[]} [folders] the folders of commands
 * @returns {Promise<NatsProgram>}
 */
export async function findNats(log, dataDir, folders = commandFolders()) {
  const folder = dataDir === undefined ? programsFolder : path.join(dataDir, 'bin');
  const found =
    (await asProgram(findCommand('nats-server', folders))) ??
    (await inDocker(log, folders)) ??
    (await fromArchive({ packageName: 'nats-server', program: 'nats-server' }, log, folder, folders));
  if (found) return found;
  throw new Error(
    'nats-server is missing: install it (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server; ' +
      'else https://github.com/nats-io/nats-server/releases), start Docker, or set NATS_URL',
  );
}
