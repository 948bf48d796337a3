import { loadConfig, secretLogin } from '@yardarm/shared/config';
import { waitForDatabase } from '@yardarm/shared/db';
import { z } from 'zod';

export interface Restored {
  ownerUrl: string;
  /** The folder of the exported heads; null when none is known. */
  headsFolder: string | null;
  close(): Promise<void>;
}

const settings = { DATABASE_URL: secretLogin(z.string().optional()), EVENTS_HEADS_DIR: z.string().optional() };

/** Postgres starts in seconds, and replays its log after a restore in some minutes. */
const waitLimitMs = 300_000;

/** The database of DATABASE_URL; without it, the one in the data folder of `npm start`. */
export async function openRestored(environment: NodeJS.ProcessEnv = process.env): Promise<Restored> {
  const { DATABASE_URL: url, EVENTS_HEADS_DIR } = loadConfig(settings, environment);
  if (url !== undefined) {
    await waitForDatabase({ url, limitMs: waitLimitMs, onWait: (reason) => console.log(reason) });
    return { ownerUrl: url, headsFolder: EVENTS_HEADS_DIR ?? null, close: async () => {} };
  }
  // The image, where DATABASE_URL is set, does not have this file.
  const { openOwnDatabase } = await import('./own-database.ts');
  const own = await openOwnDatabase(environment);
  return { ...own, headsFolder: EVENTS_HEADS_DIR ?? own.headsFolder };
}
