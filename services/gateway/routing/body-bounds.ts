import { maxContextFields } from '@yardarm/shared/contracts/flags';
import type { JsonBounds } from '@yardarm/shared/errors';

// What a body may have. They bound the time in which a gateway, which has one thread, parses and validates what
// somebody made up: a property takes 0.5 µs, up to 4 µs when it is wrong, and another value a tenth. The bytes of
// bodies have bounds of their own.

/**
 * Most bodies have less than a hundred values. The largest name 5,000 flags, 1,000 strategies with their order, or 500
 * permissions of a role. As for values that are written out, a hundred levels are ten times those of our documents.
 */
export const defaultBodyBounds: JsonBounds = { values: 20_000, properties: 6_000, levels: 100 };

/** A context field has at most 5,000 legal values, each an object of two properties. */
export const legalValuesBody = { bodyBounds: { ...defaultBodyBounds, properties: 12_000 } } as const;

/** Members of a group: 10,000, each an object in an object. */
export const groupBody = { bodyBounds: { values: 35_000, properties: 25_000, levels: 100 } } as const;

/**
 * Long lists of texts or ids: the limits of flags can be set to 100,000 values of a constraint or segment, and the
 * access of a project names 10,000 holders of each role. Their cost is small: of a list with a wrong item no more is
 * read.
 */
export const longLists = { bodyBounds: { ...defaultBodyBounds, values: 120_000, properties: 12_000 } } as const;

/** As many values, in at most 1,000 constraints of six properties. Wrong parameters are the most costly properties. */
export const strategyBody = { bodyBounds: { ...defaultBodyBounds, values: 120_000, properties: 7_000 } } as const;

/** Contexts have tens of fields. The other properties are of values that count as absent. */
export const contextBody = { bodyBounds: { ...defaultBodyBounds, properties: maxContextFields } } as const;

/**
 * Payloads of signals. Nothing of 100 kB, the default limit, can exceed them, and the alerts of 900 kB, the largest
 * limit, have some 30,000 properties.
 */
export const signalBounds: JsonBounds = { values: 100_000, properties: 30_000, levels: 100 };

// SDKs send no metrics any more after a 400. So what they may send has only bounds that no report of theirs reaches.
// What is nested below the names that are read is dropped.
const reportLevels = 100_000;

/** 2 MB have room for 43,000 flags without variants, or 28,000 with two. The token is a secret of servers. */
export const clientReport: JsonBounds = { values: 1_000_000, properties: 250_000, levels: reportLevels };

/** Of a page or an app: 8,000 flags with two variants each. Anybody may have the token. */
export const frontendReport: JsonBounds = { values: 100_000, properties: 50_000, levels: reportLevels };
