import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { guard } from '../../../scripts/servers/guard.ts';

const blockBytes = 1_048_576;

/** A disk in memory of its own, which a test can fill. */
export interface SmallDisk {
  /** A folder on it. */
  folder: string;
  /** Takes all bytes that are free. */
  fill(): void;
  /** Gives them back. */
  clear(): void;
  unmount(): void;
}

/** Mounts a disk at the folder. Null where this process may not mount, which only root may. */
export function mountSmallDisk(mountPoint: string, megabytes: number): SmallDisk | null {
  mkdirSync(mountPoint, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0711`, 'tmpfs', mountPoint]);
  if (status !== 0) return null;
  // Before the guard of the folder removes what is in it.
  const watch = guard('sleep 8; umount -l "$1"', mountPoint);
  const filler = path.join(mountPoint, 'filler');
  return {
    folder: path.join(mountPoint, 'data'),
    fill() {
      const file = openSync(filler, 'w');
      try {
        for (let size = blockBytes; size >= 1; ) {
          const block = Buffer.alloc(size);
          try {
            for (;;) writeSync(file, block);
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            size = Math.floor(size / 256);
          }
        }
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler, { force: true }),
    unmount() {
      spawnSync('umount', ['-l', mountPoint]);
      watch.release();
    },
  };
}
