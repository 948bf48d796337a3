import type { MigrationSet } from '@yardarm/shared/db';
import { afterRestore } from '../after-restore.ts';
import * as flags from './0001-flags.ts';
import * as firstProject from './0002-first-project.ts';
import * as fillfactor from './0003-fillfactor.ts';
import * as projectsAndEnvironments from './0004-projects-and-environments.ts';
import * as segments from './0005-segments.ts';
import * as definitions from './0006-definitions.ts';
import * as featureDetails from './0007-feature-details.ts';
import * as usage from './0008-usage.ts';
import * as steps from './0009-steps.ts';
import * as applicationEnvironments from './0010-application-environments.ts';
import { restores } from './0011-restores.ts';
import * as applicationTokens from './0012-application-tokens.ts';
import * as bytes from './0013-bytes.ts';
import * as instancesIndex from './0014-instances-index.ts';
import * as hiddenEnvironments from './0015-hidden-environments.ts';
import * as instancesCreatedAt from './0016-instances-created-at.ts';
import * as usageEntries from './0017-usage-entries.ts';
import * as liveFeatures from './0018-live-features.ts';
import * as forgotten from './0019-forgotten.ts';

export const migrations: MigrationSet = {
  service: 'flags',
  migrations: {
    '0001-flags': flags,
    '0002-first-project': firstProject,
    '0003-fillfactor': fillfactor,
    '0004-projects-and-environments': projectsAndEnvironments,
    '0005-segments': segments,
    '0006-definitions': definitions,
    '0007-feature-details': featureDetails,
    '0008-usage': usage,
    '0009-steps': steps,
    '0010-application-environments': applicationEnvironments,
    '0011-restores': restores,
    '0012-application-tokens': applicationTokens,
    '0013-bytes': bytes,
    '0014-instances-index': instancesIndex,
    '0015-hidden-environments': hiddenEnvironments,
    '0016-instances-created-at': instancesCreatedAt,
    '0017-usage-entries': usageEntries,
    '0018-live-features': liveFeatures,
    '0019-forgotten': forgotten,
  },
  afterRestore,
};
