import type { MigrationSet } from '@yardarm/shared/db';
import { afterRestore } from '../after-restore.ts';
import { theLog } from './0001-the-log.ts';
import { chain } from './0002-chain.ts';
import { retention } from './0003-retention.ts';
import { sourceNumbers } from './0004-source-numbers.ts';
import { search } from './0005-search.ts';
import { restores } from './0006-restores.ts';
import { restoredLog } from './0007-restored-log.ts';
import { noRelay } from './0008-no-relay.ts';

export const migrations: MigrationSet = {
  service: 'events',
  extensions: ['pg_trgm'],
  migrations: {
    '0001-the-log': theLog,
    '0002-chain': chain,
    '0003-retention': retention,
    '0004-source-numbers': sourceNumbers,
    '0005-search': search,
    '0006-restores': restores,
    '0007-restored-log': restoredLog,
    '0008-no-relay': noRelay,
  },
  afterRestore,
};
