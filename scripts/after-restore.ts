// After Postgres was restored from a backup: makes SDKs, gateways and streams, which are newer than the backup, follow
// the restored database. docs/backup.md has the whole procedure. It can run repeatedly.
//
// Exit codes: 0 done; 1 failed, the last lines say why; 2 an argument or a setting is wrong.

import { migrations as accounts } from '@yardarm/accounts/migrations';
import { migrations as events } from '@yardarm/events/migrations';
import { appendRestored } from '@yardarm/events/verify-log';
import { migrations as flags } from '@yardarm/flags/migrations';
import { migrations as integrations } from '@yardarm/integrations/migrations';
import { afterRestore, MigrationError, RestoreError } from '@yardarm/shared/db';
import { migrations as signals } from '@yardarm/signals/migrations';
import { openRestored } from './after-restore/options.ts';
import { endCommand, helpIfAsked, UsageError } from './command.ts';

const usage = `Usage: npm run after-restore
  It takes settings alone, those of npm run migrate. docs/backup.md has the whole procedure.`;

try {
  const words = process.argv.slice(2);
  helpIfAsked(words, usage);
  if (words.length > 0) throw new UsageError(`${words[0]} is one argument too many.\n${usage}`);
  const { ownerUrl, headsFolder, close } = await openRestored();
  try {
    const { epoch, lastEvent } = await afterRestore(ownerUrl, [accounts, flags, events, integrations, signals]);
    console.log(`The restored database has the epoch ${epoch}. Its log ends with event ${lastEvent.id}.`);
    if (headsFolder === null) {
      console.log(
        'No file of heads has the restore (EVENTS_HEADS_DIR): verify-log will report newer heads as missing events.',
      );
    } else {
      await appendRestored(headsFolder, lastEvent);
      console.log(`The files of heads in ${headsFolder} have the restore.`);
    }
    console.log('The services can be started.');
  } finally {
    await close();
  }
} catch (error) {
  endCommand('after-restore', error, error instanceof MigrationError || error instanceof RestoreError);
}
