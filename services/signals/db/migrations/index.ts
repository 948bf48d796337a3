import type { MigrationSet } from '@yardarm/shared/db';
import { afterRestore } from '../after-restore.ts';
import { signalsTables } from './0001-signals.ts';
import { endpointRates } from './0002-endpoint-rates.ts';
import { leases } from './0003-leases.ts';
import { signalPartitions } from './0004-signal-partitions.ts';
import { actionSets } from './0005-action-sets.ts';
import { actionRuns } from './0006-action-runs.ts';
import { disables } from './0007-disables.ts';
import { projectsOfSets } from './0008-projects-of-sets.ts';
import { restores } from './0009-restores.ts';
import { runsOfSignals } from './0010-runs-of-signals.ts';

export const migrations: MigrationSet = {
  service: 'signals',
  migrations: {
    '0001-signals': signalsTables,
    '0002-endpoint-rates': endpointRates,
    '0003-leases': leases,
    '0004-signal-partitions': signalPartitions,
    '0005-action-sets': actionSets,
    '0006-action-runs': actionRuns,
    '0007-disables': disables,
    '0008-projects-of-sets': projectsOfSets,
    '0009-restores': restores,
    '0010-runs-of-signals': runsOfSignals,
  },
  afterRestore,
};
