import type { Bus, Frame, RequestContext, ServedContext } from '@yardarm/shared/bus';
import type { Actor } from '@yardarm/shared/contracts';
import { findEvents, type listEventCreators, searchEvents as searchContract } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { EventsTables } from '../db/schema.ts';
import { nameOf } from './creator.ts';
import { findCreators } from './events.repo.ts';
import { createKnownMatches } from './known-matches.ts';
import { pageFrames } from './page-frames.ts';
import type { PageTurns } from './page-turns.ts';
import { type Filters, type Page, searchFor } from './search.ts';
import { searchEvents } from './search-events.ts';
import { visibleTo } from './visibility.ts';
import { waitForHead } from './wait-for-head.ts';

/** The handlers share the matches of earlier searches. */
export function eventHandlers(db: Database<EventsTables>, bus: Bus, turns: PageTurns) {
  const known = createKnownMatches();

  const partsOf = (filters: Filters, page: Page, context: RequestContext) =>
    searchEvents({ db, known, turns }, searchFor(filters, visibleTo(actorOf(context))), page, context);

  return {
    async *search(
      input: z.output<typeof searchContract.input>,
      context: ServedContext,
    ): AsyncGenerator<Frame, void, undefined> {
      const { type, project, feature, query, limit, offset, waitFor } = input;
      const filters = { types: listOf(type), projects: listOf(project), features: listOf(feature), query };
      const page = { limit, skip: 0, startId: offset === 0 ? undefined : offset };
      if (waitFor === 'head') await waitForHead({ db, bus }, context);
      const parts = await partsOf(filters, page, context);
      yield* pageFrames(searchContract, parts, { turns, limit, total: 'totalEvents' }, context);
    },

    async *find(
      input: z.output<typeof findEvents.input>,
      context: ServedContext,
    ): AsyncGenerator<Frame, void, undefined> {
      const { limit, skip, waitFor, ...filters } = input;
      if (waitFor === 'head') await waitForHead({ db, bus }, context);
      const parts = await partsOf(filters, { limit, skip }, context);
      yield* pageFrames(findEvents, parts, { turns, limit, total: 'total' }, context);
    },

    async creators(_: z.output<typeof listEventCreators.input>, context: RequestContext) {
      const visible = visibleTo(actorOf(context));
      const creators = await turns.summaries.run(context, () => findCreators(db.kysely, visible));
      return { creators: creators.map((creator) => ({ id: creator.id, name: nameOf(creator) })) };
    },
  };
}

function listOf<Value>(value: Value | undefined): readonly Value[] | undefined {
  return value === undefined ? undefined : [value];
}

/** Contracts require an actor. The check satisfies the compiler and guards against a contract without that rule. */
function actorOf({ actor }: RequestContext): Actor {
  if (actor === null) throw new AppError('no-access', 'Only a known caller may search events.');
  return actor;
}
