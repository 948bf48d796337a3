import { maxFeatureNameLength, maxFeatureNames } from '@yardarm/shared/contracts/flags';
import { defaultBodyLimitBytes } from '../../routing/read-body.ts';

// Names are ASCII. One in a list has two quotes and a comma. In a formatted document it also has a line break and six
// spaces.
const bytesPerName = maxFeatureNameLength + 3 + 7;

/** For operations on many flags: as many of the longest names as are allowed, and for the rest as much as elsewhere. */
export const bulkBody = { bodyLimitBytes: maxFeatureNames * bytesPerName + defaultBodyLimitBytes };
