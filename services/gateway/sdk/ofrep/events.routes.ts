import { AppError } from '@yardarm/shared/errors';
import { z } from 'zod';
import { readTicket } from '../../auth/tickets.ts';
import type { Tokens } from '../../auth/tokens.ts';
import { type Route, route } from '../../routing/route.ts';
import { systemContext } from '../../system-context.ts';
import { scopeOfToken } from '../client/filters.ts';
import { currentPosition, relateEventId, type SnapshotPosition, toPosition } from '../snapshots/positions.ts';
import { snapshotOf } from '../snapshots/snapshot-of.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { ofrepErrorFields } from './error-fields.ts';
import type { RefetchStreams } from './refetch-streams.ts';

const path = '/ofrep/v1/events';

/** Providers close the stream of a page that is hidden for so long. It is the default of the protocol. */
const inactivityDelaySec = 120;

export const eventStreamSchema = z
  .object({
    type: z.literal('sse'),
    endpoint: z.object({ requestUri: z.string().describe('A path of the origin of this request, with a ticket') }),
    inactivityDelaySec: z.number().int(),
  })
  .meta({
    examples: [{ type: 'sse', endpoint: { requestUri: `${path}?ticket=…&since=…` }, inactivityDelaySec }],
  });

/**
 * How a provider with these flags learns that they have changed. It uses the origin of its own base URL: a gateway does
 * not know the names under which it is reached.
 */
export function eventStreamOf(
  publicPath: string,
  ticket: string,
  since: SnapshotPosition,
): z.output<typeof eventStreamSchema> {
  const query = new URLSearchParams({ ticket, since: toPosition(since) });
  return { type: 'sse', endpoint: { requestUri: `${publicPath}${path}?${query}` }, inactivityDelaySec };
}

/** A public route, since a client of server-sent events cannot send a token. The ticket stands for the token. */
export function ofrepEventsRoute(
  snapshots: Snapshots,
  tokens: Tokens,
  streams: RefetchStreams,
  timeoutMs: number,
): Route {
  return route({
    method: 'get',
    path,
    operationId: 'streamEvaluationEvents',
    summary:
      'Server-sent events that ask for an evaluation of all flags when flags of the token have changed, at most one a second',
    tag: 'OFREP',
    audience: 'public',
    query: z.object({
      ticket: z.string().describe('Of the answer with all flags; valid for at most an hour, and only with its token'),
      since: z.string().optional().describe('Which flags the client has: it gets an event if they have changed'),
    }),
    headers: { 'Last-Event-ID': 'The id of the last event that the client has got, instead of `since`' },
    answer: { status: 200, mediaType: 'text/event-stream' },
    errors: ['unauthenticated', 'rate-limited', 'unavailable'],
    errorFields: ofrepErrorFields,
    async handle({ query, context, address, header }) {
      const ticket = readTicket(query.ticket);
      const token = ticket && (await tokens.findByTicket(ticket, { context, address }));
      if (!token) throw invalidTicket();
      const authenticate = async () => {
        const context = systemContext(timeoutMs);
        return { token: await tokens.findByTicket(ticket, { context, address }), context };
      };
      const scope = scopeOfToken(token, 'separate');
      const snapshot = await snapshotOf(snapshots, token);
      const since = header('last-event-id') ?? query.since;
      const isAhead = relateEventId(since, currentPosition(snapshot, scope)).kind === 'ahead';
      const hasAskedFlags = isAhead && (await snapshots.catchUp(snapshot));
      const { expiresAt } = ticket;
      return {
        status: 200,
        respond: (client) =>
          streams.open({ ...client, token, authenticate }, { scope, since, hasAskedFlags, expiresAt }),
      };
    },
  });
}

function invalidTicket(): AppError {
  return new AppError(
    'unauthenticated',
    'This ticket is not valid: it has expired, or its token is not valid any more. Evaluate all flags to get another one.',
  );
}
