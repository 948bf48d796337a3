import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cacheFolder, commandFolders } from './config.ts';
import { run } from './run.ts';

export type NatsProgram = { kind: 'program'; file: string; version: string } | { kind: 'docker'; image: string };

export const natsImage = 'nats:2.12';

function findCommand(name: string): string | undefined {
  return commandFolders()
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

async function asProgram(file: string | undefined): Promise<NatsProgram | undefined> {
  if (!file) return undefined;
  const version = /v?(\d+\.\d+\.\d+)/.exec((await run(file, ['--version'])).output)?.[1];
  return version ? { kind: 'program', file, version } : undefined;
}

/** Whether a Docker daemon answers and has the image or can get it. */
async function inDocker(log: (line: string) => void): Promise<NatsProgram | undefined> {
  // 5 s: a client without a daemon may try for long.
  const answers = await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeoutMs: 5_000 });
  if (answers.code !== 0) return undefined;
  if ((await run('docker', ['image', 'inspect', natsImage])).code !== 0) {
    log(`Fetching the image ${natsImage} ...`);
    // The image has 10 MB. Two minutes are enough for a slow line, and end the wait for a registry that does not
    // answer.
    const pull = await run('docker', ['pull', '--quiet', natsImage], { timeoutMs: 120_000 });
    if (pull.code !== 0) return undefined;
  }
  return { kind: 'docker', image: natsImage };
}

/** Extracts the program of Debian's or Ubuntu's package. Installing the package would start a service on port 4222. */
async function fromApt(log: (line: string) => void): Promise<NatsProgram | undefined> {
  const cached = path.join(cacheFolder(), 'nats-server');
  const program = await asProgram(existsSync(cached) ? cached : undefined);
  if (program) return program;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined;
  const work = mkdtempSync(path.join(tmpdir(), 'yardarm-apt-'));
  try {
    log('Fetching nats-server from the package archive (apt-get download) ...');
    const download = () => run('apt-get', ['download', 'nats-server'], { cwd: work });
    // Without lists, as in a fresh container, apt knows no package.
    if ((await download()).code !== 0) {
      await run('apt-get', ['update']);
      await download();
    }
    const archive = readdirSync(work).find((name) => name.endsWith('.deb'));
    if (!archive) return undefined;
    await run('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: work });
    const file = ['usr/sbin', 'usr/bin']
      .map((place) => path.join(work, 'unpacked', place, 'nats-server'))
      .find(existsSync);
    if (!file) return undefined;
    mkdirSync(cacheFolder(), { recursive: true });
    // Copied and renamed, because another start may be running the present file.
    const copy = `${cached}.${process.pid}`;
    await run('cp', [file, copy]);
    renameSync(copy, cached);
    return await asProgram(cached);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Finds a nats-server: a program of this machine, else Docker, else Debian's or Ubuntu's archive (as root). */
export async function findNats(log: (line: string) => void): Promise<NatsProgram> {
  const found = (await asProgram(findCommand('nats-server'))) ?? (await inDocker(log)) ?? (await fromApt(log));
  if (found) return found;
  throw new Error(
    'nats-server is missing: install it (Debian and Ubuntu: apt-get install nats-server; macOS: brew install nats-server; ' +
      'else https://github.com/nats-io/nats-server/releases), start Docker, or set NATS_URL',
  );
}
