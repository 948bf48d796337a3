// Follows the lists of stored signals, which have no stream. Each round reads the newest signals of each endpoint and
// prints those that the rounds before have not seen, the oldest first. A round after an outage reads further pages,
// until it finds a signal that it knows.

import { pause } from '@yardarm/shared/waiting';
import { z } from 'zod';
import type { Api } from './api.ts';
import { CommandError, OutageError, RefusalError } from './errors.ts';

/** Signals are stored within a second. A list per endpoint is little load. */
const everyMs = 2_000;
/** Endpoints accept one signal in a second by default. */
const pageSize = 100;
/** More than the pages of a day at the default rate. Beyond it an outage leaves a gap. */
const maxPages = 1_000;

// Every property of a signal is printed, also one that this version does not know.
const pageSchema = z.object({ signalEndpointSignals: z.array(z.looseObject({ id: z.number() })) });
const endpointsSchema = z.object({ signalEndpoints: z.array(z.object({ id: z.number(), name: z.string() })) });

type Signal = z.output<typeof pageSchema>['signalEndpointSignals'][number];
type Endpoint = z.output<typeof endpointsSchema>['signalEndpoints'][number];

export async function tailSignals(
  api: Api,
  name: string | undefined,
  print: (signal: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const known = new Map<number, Set<number>>();
  for (const { id } of await endpointsOf(api, name)) known.set(id, idsOf(await page(api, id, 0)));
  while (!signal.aborted) {
    await pause(everyMs, signal);
    if (signal.aborted) return;
    const endpoints = await endpointsOf(api, name).catch(nullIfAway);
    for (const endpoint of endpoints ?? []) {
      const found = await unseen(api, endpoint.id, known.get(endpoint.id) ?? new Set()).catch(nullIfAway);
      if (found === null) break;
      known.set(endpoint.id, found.newest);
      for (const each of found.signals) print({ endpoint: endpoint.name, ...each });
    }
  }
}

async function endpointsOf(api: Api, name: string | undefined): Promise<Endpoint[]> {
  const { signalEndpoints } = await api.call('GET', '/api/admin/signal-endpoints', endpointsSchema);
  const chosen = signalEndpoints.filter((endpoint) => name === undefined || endpoint.name === name);
  if (name !== undefined && chosen.length === 0) throw new CommandError(`There is no signal endpoint ${name}.`);
  return chosen;
}

/** The signals that are not known, the oldest first, and the ids of the newest page. */
async function unseen(api: Api, endpointId: number, known: ReadonlySet<number>) {
  const signals: Signal[] = [];
  let newest: Set<number> | undefined;
  for (let number = 0; number < maxPages; number += 1) {
    const found = await page(api, endpointId, number * pageSize);
    newest ??= idsOf(found);
    const fresh = found.filter(({ id }) => !known.has(id) && !signals.some((each) => each.id === id));
    signals.push(...fresh);
    if (fresh.length < pageSize) break;
  }
  // A signal that is stored late is older than others that are known, so the known ones stay known for a page.
  return { signals: signals.reverse(), newest: new Set([...(newest ?? []), ...[...known].slice(0, pageSize)]) };
}

async function page(api: Api, endpointId: number, offset: number): Promise<Signal[]> {
  const path = `/api/admin/signal-endpoints/${endpointId}/signals?limit=${pageSize}&offset=${offset}`;
  return (await api.call('GET', path, pageSchema)).signalEndpointSignals;
}

const idsOf = (signals: readonly Signal[]) => new Set(signals.map(({ id }) => id));

/** The gateway or signals restarts, or the endpoint was deleted meanwhile. The next round asks again. */
function nullIfAway(error: unknown): null {
  if (error instanceof OutageError || (error instanceof RefusalError && error.status === 404)) return null;
  throw error;
}
