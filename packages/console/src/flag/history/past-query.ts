import { queryOptions } from '@tanstack/react-query';
import { answer, api } from '../../api/client.ts';
import type { LogEvent } from '../../api/queries.ts';
import { typesOfPlaces } from './past.ts';

/** The most that the API lists at once. */
const pageSize = 1000;

/** More pages would take a browser too long. */
const maxPages = 5;

/**
 * A flag as it is now, and what has happened since the beginning of a day in UTC. The events are read after the flag,
 * and up to the end of the log: each change that the flag has is among them.
 */
export const sinceQuery = (projectId: string, featureName: string, day: string) =>
  queryOptions({
    queryKey: ['feature', projectId, featureName, 'since', day],
    async queryFn() {
      const params = { path: { projectId, featureName } };
      const flag = await answer(api.GET('/api/admin/projects/{projectId}/features/{featureName}', { params }));
      const [ofFlag, ofPlaces] = await Promise.all([
        eventsSince(day, { feature: `IS:${featureName}` }),
        eventsSince(day, { type: `IS_ANY_OF:${typesOfPlaces.join(',')}` }),
      ]);
      return {
        flag,
        events: [...ofFlag.events, ...ofPlaces.events],
        isComplete: ofFlag.isComplete && ofPlaces.isComplete,
      };
    },
    // It may be long, and an event of the flag says when it is read again.
    refetchInterval: false,
  });

async function eventsSince(day: string, filter: { feature?: string; type?: string }) {
  const events: LogEvent[] = [];
  for (let page = 0; page < maxPages; page++) {
    const query = {
      ...{ ...filter, from: `IS:${day}`, waitFor: 'head' as const },
      ...{ limit: String(pageSize), offset: String(page * pageSize) },
    };
    const found = await answer(api.GET('/api/admin/search/events', { params: { query } }));
    events.push(...found.events);
    if (found.events.length < pageSize) return { events, isComplete: true };
  }
  return { events, isComplete: false };
}
