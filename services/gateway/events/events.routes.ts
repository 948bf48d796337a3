import type { Bus } from '@yardarm/shared/bus';
import { verifyLog } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import { ofContract, type Route, route } from '../http/route.ts';
import { wholeNumber } from '../http/wire.ts';

/** An id of the log, in a query. */
const eventId = wholeNumber(1, 999_999_999_999_999);

/** The event log. */
export function eventRoutes(bus: Bus): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/events/verify',
      operationId: 'verifyEvents',
      ...ofContract(verifyLog),
      tag: 'Events',
      door: 'admin',
      query: z
        .object({ from: eventId.optional(), to: eventId.optional() })
        .refine(({ from = 1, to = from }) => from <= to, { path: ['to'], message: 'should not be before from' }),
      answer: { status: 200, schema: verifyLog.output },
      handle: async ({ query, context }) => ({ status: 200, body: await bus.request(verifyLog, query, context) }),
    }),
  ];
}
