import { can, noAccess } from '@yardarm/shared/auth';
import { encodeTexts, type Frame, type ServedContext } from '@yardarm/shared/bus';
import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import type { z } from 'zod';
import { endpointNotFound } from '../endpoints/endpoint.ts';
import { hasEndpoint } from '../endpoints/endpoints.repo.ts';
import type { SignalsResources } from '../resources.ts';
import {
  countSignalRows,
  findSignalIds,
  findSignalsByIds,
  type ListedSignal,
  pageLimitMs,
  type ShownParts,
} from './lists.repo.ts';
import { readPayloadSearch } from './payload-search.ts';

// Takes 20 MB of memory with the largest payloads (900 kB), and 2.5 MB with the default limit (100 kB).
const batch = 25;

/** A console shows pages up to here. An index counts so many in some 20 ms. */
const maxCounted = 100_000;
/** Each match of a search is read whole: so many payloads of a kilobyte take a tenth of a second. */
const maxCountedBySearch = 10_000;

/**
 * Of ten connections, admissions keep most. Lists that wait longer than their callers are not read. A caller reads one
 * at a time. Who asks again and again for an offset of millions, which the oldest signals need, leaves half of the
 * time to Postgres. A page of the console asks for a list and its length, and ends before.
 */
const listLimit = new ConcurrencyLimit(3, 'Other lists of signals took all of the time.', {
  ...{ takesMs: pageLimitMs, restsFromMs: 1_000 },
});

interface Filters {
  from?: string | undefined;
  to?: string | undefined;
  payload?: string | undefined;
  sourceId?: number | undefined;
  hasRuns?: boolean | undefined;
}

/** The stored signals of an endpoint, newest first. */
export async function* listEndpointSignals(
  { db }: SignalsResources,
  { signalEndpointId, limit, offset, ...filters }: z.output<typeof contracts.listEndpointSignals.input>,
  context: ServedContext,
): AsyncGenerator<Frame> {
  if (!(await hasEndpoint(db.kysely, signalEndpointId))) throw endpointNotFound(signalEndpointId);
  const search = { ...searchOf(filters), endpointId: signalEndpointId };
  const ids = await listLimit.run(context, () => findSignalIds(db, search, { limit, offset }));
  yield* framesOf(contracts.listEndpointSignals, db, ids, { withPayloads: true, withRuns: false }, toEndpointSignal);
}

/** The stored signals of all endpoints, newest first, with payloads for actors with READ_LOGS and runs for admins. */
export async function* findSignals(
  { db }: SignalsResources,
  { limit, offset, ...filters }: z.output<typeof contracts.findSignals.input>,
  context: ServedContext,
): AsyncGenerator<Frame> {
  const visible = requireVisible(filters, context);
  const ids = await listLimit.run(context, () => findSignalIds(db, searchOf(filters), { limit, offset }));
  yield* framesOf(contracts.findSignals, db, ids, visible, toFoundSignal);
}

export async function countSignals(
  { db }: SignalsResources,
  filters: z.output<typeof contracts.countSignals.input>,
  context: ServedContext,
): Promise<{ total: number }> {
  requireVisible(filters, context);
  const upTo = filters.payload === undefined ? maxCounted : maxCountedBySearch;
  return { total: await listLimit.run(context, () => countSignalRows(db, searchOf(filters), upTo)) };
}

/** What the actor may read of signals. Throws `no-access` if the filters ask for more. */
function requireVisible({ payload, hasRuns }: Filters, { actor }: ServedContext): ShownParts {
  // The contracts require an actor.
  if (actor === null) throw new AppError('no-access', 'Only a known caller may list signals.');
  const visible = { withPayloads: can(actor, 'READ_LOGS'), withRuns: can(actor, 'ADMIN') };
  if (payload !== undefined && !visible.withPayloads) throw noAccess(['READ_LOGS'], {});
  if (hasRuns !== undefined && !visible.withRuns) throw noAccess(['ADMIN'], {});
  return visible;
}

function searchOf({ from, to, payload, sourceId, hasRuns }: Filters) {
  const search = payload === undefined ? undefined : readPayloadSearch(payload);
  return { from, to, payload: search, endpointId: sourceId, hasRuns };
}

/** Reads the rows in batches. New signals do not shift the page, because its ids are known. */
async function* framesOf(
  contract: RequestContract,
  db: SignalsResources['db'],
  ids: readonly number[],
  options: ShownParts,
  toJson: (signal: ListedSignal) => string,
): AsyncGenerator<Frame> {
  for (let start = 0; start < ids.length; start += batch) {
    const signals = await findSignalsByIds(db.kysely, ids.slice(start, start + batch), options);
    yield* encodeTexts(contract, signals.map(toJson));
  }
}

function toEndpointSignal({ id, endpointId, payload, createdAt, tokenName }: ListedSignal): string {
  return withPayload({ id, createdAt, source: 'signal-endpoint', sourceId: endpointId, tokenName }, payload);
}

function toFoundSignal(signal: ListedSignal): string {
  const { id, endpointId, endpointName, endpointDescription, payload, createdAt, tokenName, runs } = signal;
  const source = {
    ...{ source: 'signal-endpoint', sourceId: endpointId },
    ...{ sourceName: endpointName, sourceDescription: endpointDescription },
  };
  return withPayload({ id, createdAt, ...source, tokenName, ...(runs !== null && { runs }) }, payload);
}

/** The object as JSON with the payload as it was sent: parsed and written again, large numbers would lose digits. */
function withPayload(signal: object, payload: string | null): string {
  const text = JSON.stringify(signal);
  return payload === null ? text : `${text.slice(0, -1)},"payload":${payload}}`;
}
