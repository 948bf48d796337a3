import type { Attack } from '../attack.ts';
import { consoleErrors, documents, eventPages, largeExports, largeFlags, largeSearches } from './administration.ts';
import { bulkChanges, manySearches, reports } from './bulk.ts';
import { silence, slowConnections } from './connections.ts';
import { evaluations, playground } from './evaluations.ts';
import { compressedBodies, logins, pipelines, refusals } from './floods.ts';
import { reads } from './reads.ts';
import { applications, largeListings, listings, streams, unknownTokens } from './tokens.ts';

/** In the order in which they run. The last ones leave flags and events that later reads would have to carry. */
export function attacksOf(connections: number): Attack[] {
  return [
    ...[slowConnections(connections), silence, refusals, pipelines, logins, compressedBodies],
    ...[unknownTokens, streams, listings, consoleErrors, applications],
    ...[eventPages, evaluations, playground, documents, largeSearches, largeExports, manySearches, reports, reads],
    ...[largeListings, bulkChanges, largeFlags],
  ];
}
