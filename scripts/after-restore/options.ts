import path from 'node:path';
import { loadConfig } from '@yardarm/shared/config';
import { RestoreError, waitForDatabase } from '@yardarm/shared/db';
import { z } from 'zod';
import { claimFolder, FolderInUseError } from '../servers/claim.ts';
import { openCredentials } from '../start/credentials.ts';
import { installationIn, migrate } from '../start/launch.ts';
import { projectFolder, readOptions } from '../start/options.ts';
import { startOrUsePostgres } from '../start/own-servers.ts';

export interface Restored {
  ownerUrl: string;
  /** Null when no folder of heads is known. */
  headsFolder: string | null;
  close(): Promise<void>;
}

const settings = { DATABASE_URL: z.string().optional(), EVENTS_HEADS_DIR: z.string().optional() };

/** Postgres starts in seconds, and replays its log after a restore in some minutes. */
const waitLimitMs = 300_000;

/**
 * The database of DATABASE_URL. Without it, the one in the data folder of `npm start`, which must not run: starts its
 * Postgres, and migrates it, since only `npm start` would.
 */
export async function openRestored(environment: NodeJS.ProcessEnv = process.env): Promise<Restored> {
  const { DATABASE_URL: url, EVENTS_HEADS_DIR } = loadConfig(settings, environment);
  if (url !== undefined) {
    await waitForDatabase({ url, limitMs: waitLimitMs, onWait: (reason) => console.log(reason) });
    return { ownerUrl: url, headsFolder: EVENTS_HEADS_DIR ?? null, close: async () => {} };
  }
  const options = readOptions(environment);
  const claim = await claimFolder(options.dataDir, 'npm run after-restore').catch((error: unknown) => {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new RestoreError(
      `process ${error.pid} uses the data folder ${options.dataDir} (${error.note}): stop it first`,
    );
  });
  try {
    const server = await startOrUsePostgres(options, (line) => console.log(line));
    try {
      await migrate(installationIn(projectFolder).migrate, options, server.url, openCredentials(options));
    } catch (error) {
      await server.stop();
      throw error;
    }
    return {
      ownerUrl: server.url,
      headsFolder: EVENTS_HEADS_DIR ?? path.join(options.dataDir, 'heads'),
      async close() {
        await server.stop();
        claim.release();
      },
    };
  } catch (error) {
    claim.release();
    throw error;
  }
}
