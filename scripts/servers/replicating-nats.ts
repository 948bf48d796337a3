// Finds a nats-server that may keep replicated streams, for the tests of clusters.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isAtLeast, minimumForReplicas } from '@yardarm/shared/bus/server-version';
import { run } from './run.js';

export interface NatsFile {
  file: string;
  version: string;
}

const root = path.resolve(import.meta.dirname, '../..');
/** Kept between runs, beside what `npm start` fetches. */
const kept = path.join(root, '.yardarm/bin/nats-server-of-clusters');
/** Debian 12 and 13 have older ones. The program needs no library but libc. */
const suite = 'forky';

async function replicating(file: string): Promise<NatsFile | undefined> {
  const version = /v?(\d+\.\d+\.\d+)/.exec((await run(file, ['--version'])).output)?.[1];
  return version !== undefined && isAtLeast(version, minimumForReplicas) ? { file, version } : undefined;
}

/**
 * Returns the program of this machine if it is new enough; else the one of Debian's archive, which needs neither root
 * nor an installation. Throws without one, with what to do.
 */
export async function findReplicatingNats(log: (line: string) => void): Promise<NatsFile> {
  // Its path, because a test starts it with an environment of its own.
  const { output: installed } = await run('sh', ['-c', 'command -v nats-server']);
  const found =
    (installed && (await replicating(installed))) || (existsSync(kept) ? await replicating(kept) : undefined);
  if (found) return found;
  await fetchFromDebian(log);
  const fetched = existsSync(kept) ? await replicating(kept) : undefined;
  if (fetched) return fetched;
  throw new Error(
    `The tests of clusters need nats-server ${minimumForReplicas} or newer: install it ` +
      '(https://github.com/nats-io/nats-server/releases), or let apt-get reach deb.debian.org',
  );
}

async function fetchFromDebian(log: (line: string) => void): Promise<void> {
  log(`Fetching nats-server of Debian ${suite} ...`);
  mkdirSync(path.dirname(kept), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(path.join(path.dirname(kept), 'apt-'));
  try {
    for (const part of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(path.join(work, part), { recursive: true });
    const key = '/usr/share/keyrings/debian-archive-keyring.gpg';
    writeFileSync(
      path.join(work, 'sources.list'),
      `deb [signed-by=${key}] http://deb.debian.org/debian ${suite} main\n`,
    );
    const settings = {
      'APT::Sandbox::User': 'root',
      'Dir::Etc::SourceList': path.join(work, 'sources.list'),
      'Dir::Etc::SourceParts': '/dev/null',
      'Dir::State::Lists': path.join(work, 'lists'),
      'Dir::Cache': path.join(work, 'cache'),
    };
    const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    await run('apt-get', [...options, 'update'], { cwd: work });
    await run('apt-get', [...options, 'download', 'nats-server'], { cwd: work });
    const archive = readdirSync(work).find((name) => name.endsWith('.deb'));
    if (!archive) return;
    await run('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: work });
    const file = ['usr/sbin', 'usr/bin']
      .map((place) => path.join(work, 'unpacked', place, 'nats-server'))
      .find(existsSync);
    if (file) renameSync(file, kept);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
