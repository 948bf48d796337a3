import { maxContextFields } from '@yardarm/shared/contracts/flags';
import type { JsonBounds } from '@yardarm/shared/errors';

// What a body may have. They bound the time in which a gateway, which has one thread, parses and validates what somebody
// made up: a property takes about 2 µs, and another value a tenth. The bytes of bodies have bounds of their own.

/**
 * The largest document of most routes has 5,000 legal values of a context field: two properties and a bracket each. As
 * for values that are written out, a hundred levels are ten times those of our documents.
 */
export const defaultBodyBounds: JsonBounds = { values: 20_000, properties: 12_000, levels: 100 };

/** Members of a group: 10,000, each an object in an object. */
export const groupBody = { bodyBounds: { values: 35_000, properties: 25_000, levels: 100 } } as const;

/**
 * Long lists of texts or ids: the limits of flags can be set to 100,000 values of a constraint or segment, and the
 * access of a project names 10,000 holders of each role. Their cost is small: of a list with a wrong item no more is
 * read.
 */
export const longLists = { bodyBounds: { ...defaultBodyBounds, values: 120_000 } } as const;

/** Contexts have tens of fields. The other properties are of values that count as absent. */
export const contextBody = { bodyBounds: { ...defaultBodyBounds, properties: maxContextFields } } as const;

/**
 * Payloads of signals. Nothing of 100 kB, the default limit, can exceed them, and the alerts of 900 kB, the largest
 * limit, have some 30,000 properties.
 */
export const signalBounds: JsonBounds = { values: 100_000, properties: 30_000, levels: 100 };

// SDKs send no metrics any more after a 400. So what they may send has only bounds that no report of theirs reaches. What
// is nested below the names that are read is dropped.
const reportLevels = 100_000;

/** A report of 2 MB has room for 40,000 flags with five properties each. The token is a secret of servers. */
export const clientReport: JsonBounds = { values: 1_000_000, properties: 250_000, levels: reportLevels };

/** Of a page or an app: 6,000 flags with five properties each. Anybody may have the token. */
export const frontendReport: JsonBounds = { values: 100_000, properties: 30_000, levels: reportLevels };
