import type { Bus } from '@yardarm/shared/bus';
import { eventSchema, searchEvents, verifyLog } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { allOf, wholeNumber } from '../http/wire.ts';

/** An id of the log, in a query. */
const eventId = wholeNumber(1, 999_999_999_999_999);

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
        schema: z.object({ version: z.literal(1), events: z.array(eventSchema), totalEvents: z.number().int() }),
      },
      async handle({ body, context }) {
        const pieces = await allOf(bus.requestMany(searchEvents, body ?? {}, context), (piece) => [piece]);
        const events = pieces.flatMap((piece) => piece.events);
        return { status: 200, body: { version: 1, events, totalEvents: pieces[0]?.totalEvents ?? 0 } };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/events/verify',
      operationId: 'verifyEvents',
      ...ofContract(verifyLog),
      tag: 'Events',
      door: 'admin',
      query: z.object({ from: eventId.optional(), to: eventId.optional() }),
      answer: { status: 200, schema: verifyLog.output },
      handle: async ({ query, context }) => ({ status: 200, body: await bus.request(verifyLog, query, context) }),
    }),
  ];
}
