import type { MigrationSet } from '@yardarm/shared/db';
import * as flags from './0001-flags.ts';
import * as firstProject from './0002-first-project.ts';
import * as fillfactor from './0003-fillfactor.ts';

export const migrations: MigrationSet = {
  service: 'flags',
  migrations: { '0001-flags': flags, '0002-first-project': firstProject, '0003-fillfactor': fillfactor },
};
