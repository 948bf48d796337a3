import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@yardarm/shared/bus';
import { readAfter, readHead } from '@yardarm/shared/contracts/events';
import { AppError } from '@yardarm/shared/errors';
import { ofContract, type Route, route } from '../http/route.ts';
import type { Sink } from '../http/sink.ts';
import { wholeNumber } from '../http/wire.ts';
import type { LogHead } from './log-head.ts';
import { type Look, look } from './tail.ts';

const position = wholeNumber(0, 999_999_999_999_999);

/** Proxies close what is silent for a minute, some for half of one. */
const heartbeatMs = 15_000;

/** The service behind restarts within seconds. */
const retryMs = 1_000;

/** GET /api/admin/events/stream: the log as it grows, for tools; server-sent events, each with the event's id. */
export function streamEventsRoute(bus: Bus, logHead: LogHead): Route {
  return route({
    method: 'get',
    path: '/api/admin/events/stream',
    operationId: 'streamEvents',
    ...ofContract(readAfter),
    summary:
      'Events as they are recorded, as server-sent events; goes on after `after` or Last-Event-ID, else from now',
    tag: 'Events',
    door: 'admin',
    query: readAfter.input.pick({ type: true, project: true, feature: true, environment: true }).extend({
      after: position.optional(),
    }),
    answer: { status: 200 },
    async handle({ query: { after, ...filters }, context, header }) {
      const from = lastEventId(header('last-event-id')) ?? after ?? (await bus.request(readHead, {}, context)).id;
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        stream: (sink) => streamEvents(bus, logHead, filters, from, sink),
      };
    },
  });
}

/** What an EventSource sends when it comes back; it wins over the address, which stays that of the first time. */
function lastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = position.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'validation',
    `The Last-Event-ID header should be the id of an event. You sent "${text.slice(0, 100)}".`,
  );
}

type Filters = Omit<Parameters<typeof look>[2], 'after' | 'limit'>;

/**
 * Sends the log behind an id until the stream is over.
 *
 *   reading   a look at the log, its events sent; again until the end of the log.
 *   waiting   for the log to grow; a comment every 15 s.
 *   retrying  the log did not answer: it is asked again, from where the stream stands.
 *
 * Nothing is skipped silently: what retention has dropped since is told as an event `skipped` of its own.
 */
async function streamEvents(bus: Bus, logHead: LogHead, filters: Filters, from: number, sink: Sink): Promise<void> {
  let after = from;
  await sink.write(`retry: ${retryMs}\n\n`);
  while (!sink.signal.aborted) {
    const found = await look(bus, readAfter, { ...filters, after }, sink.context()).catch(unlessAway);
    if (found === null) {
      await sleep(retryMs, undefined, { signal: sink.signal }).catch(() => undefined);
      continue;
    }
    const text = asServerSentEvents(found, after);
    if (text !== '') await sink.write(text);
    after = found.through;
    if (after < found.head) continue;
    await logHead.beyond(after, heartbeatMs, sink.signal);
    if (text === '' && !sink.signal.aborted) await sink.write(': \n\n');
  }
}

/** Null when the log does not answer for now; throws what will not pass. */
function unlessAway(error: unknown): null {
  if (error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout')) return null;
  throw error;
}

/** The events of one look; before them, when it began later than asked, what is gone. */
export function asServerSentEvents({ events, after }: Omit<Look, 'through' | 'head'>, asked: number): string {
  const gone = after > asked ? `event: skipped\ndata: ${JSON.stringify({ from: asked + 1, to: after })}\n\n` : '';
  const sent = events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return gone + sent;
}
