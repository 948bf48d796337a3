import { existsSync } from 'node:fs';
import path from 'node:path';
import { RestoreError } from '@yardarm/shared/db';
import { claimFolder, FolderInUseError } from '../servers/claim.ts';
import { openCredentials } from '../start/credentials.ts';
import { installationIn, migrate } from '../start/launch.ts';
import { projectFolder, readOptions } from '../start/options.ts';
import { startOrUsePostgres } from '../start/own-servers.ts';

/**
 * The database in the data folder of `npm start`, which must not run: starts its Postgres, and migrates it, since only
 * `npm start` would. `headsFolder` is that of the data folder.
 */
export async function openOwnDatabase(
  environment: NodeJS.ProcessEnv,
): Promise<{ ownerUrl: string; headsFolder: string; close(): Promise<void> }> {
  const options = readOptions(environment);
  requireDatabase(options.dataDir);
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
      headsFolder: path.join(options.dataDir, 'heads'),
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

/** A Postgres without data would be made in the wrong folder, and nothing would be restored. */
function requireDatabase(dataDir: string): void {
  if (existsSync(path.join(dataDir, 'postgres', 'password'))) return;
  throw new RestoreError(
    `${path.join(dataDir, 'postgres')} has no Postgres of npm start: set YARDARM_DATA_DIR to the data folder, or DATABASE_URL`,
  );
}
