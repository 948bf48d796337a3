import type { Bus } from '@yardarm/shared/bus';
import { eventSchema, searchEvents } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf } from '../http/wire.ts';

/** The event log. */
export function eventRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'post',
      path: '/api/admin/events/search',
      operationId: 'searchEvents',
      ...ofContract(searchEvents),
      tag: 'Events',
      isDeprecated: true,
      door: 'admin',
      body: searchEvents.input.optional(),
      answer: {
        status: 200,
        schema: z.object({
          version: z.literal(1),
          events: z.array(eventSchema),
          totalEvents: z
            .number()
            .int()
            .meta({ examples: [1] }),
        }),
      },
      async handle({ body, context }) {
        const pieces = await allOf(bus.requestMany(searchEvents, body ?? {}, context), (piece) => [piece]);
        const events = pieces.flatMap((piece) => piece.events);
        return { status: 200, body: { version: 1, events, totalEvents: pieces[0]?.totalEvents ?? 0 } };
      },
    }),
  ];
}
