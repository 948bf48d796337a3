import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Bus } from '@yardarm/shared/bus';
import { type Event, readAfter } from '@yardarm/shared/contracts/events';
import { AppError } from '@yardarm/shared/errors';
import { ofContract, type Route, route } from '../http/route.ts';
import type { Sink } from '../http/sink.ts';
import { wholeNumber } from '../http/wire.ts';
import type { LogHead } from './log-head.ts';
import { createSharedLook, type Look, look, type SharedLook } from './tail.ts';

/** No log gets this far. */
const lastPosition = 999_999_999_999_999;
const position = wholeNumber(0, lastPosition);

/** Proxies close what is silent for a minute, some for half of one. */
const heartbeatMs = 15_000;
const heartbeat = ': \n\n';

/** The service behind restarts within seconds. */
const retryMs = 1_000;

/** GET /api/admin/events/stream: the log as it grows, for tools; server-sent events, each with the event's id. */
export function streamEventsRoute(bus: Bus, logHead: LogHead): Route {
  const sharedLook = createSharedLook(bus);
  return route({
    method: 'get',
    path: '/api/admin/events/stream',
    operationId: 'streamEvents',
    ...ofContract(readAfter),
    summary:
      'Events as they are recorded, as server-sent events; goes on after `after` or Last-Event-ID, else from now',
    tag: 'Events',
    audience: 'admin',
    query: readAfter.input.pick({ type: true, project: true, feature: true, environment: true }).extend({
      after: position.optional(),
    }),
    answer: { status: 200 },
    async handle({ query: { after, ...filters }, context, header }) {
      const asked = lastEventId(header('last-event-id')) ?? after;
      // A look that finds nothing: a refusal must come before the head of an answer that says 200, and it says where the log ends.
      const { head } = await look(bus, readAfter, { ...filters, after: lastPosition }, context);
      return {
        status: 200,
        headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
        stream: (sink) => streamEvents({ look: sharedLook, logHead }, filters, asked ?? head, sink),
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

type LookQuery = Parameters<SharedLook>[0];
type Filters = Pick<LookQuery, 'type' | 'project' | 'feature' | 'environment'>;

/**
 * Sends the log behind an id until the stream is over.
 *
 *   behind    a look at the log by the stream's own filters, its events sent; again until the end of the log.
 *   following when the log has grown: a look that all streams with the same rights share, whatever they filter for; filtered here.
 *   retrying  the log, or who knows the caller, did not answer: asked again, from where the stream stands.
 *
 * A comment stands for what was not sent for 15 s. Nothing is skipped silently: what retention has dropped since is told as an event
 * `skipped` of its own.
 */
async function streamEvents(
  log: { look: SharedLook; logHead: LogHead },
  filters: Filters,
  from: number,
  sink: Sink,
): Promise<void> {
  let after = from;
  let isFollowing = false;
  let sentAt = 0;
  const send = async (text: string) => {
    await sink.write(text);
    sentAt = Date.now();
  };
  const heartbeatInMs = () => sentAt + heartbeatMs - Date.now();

  await send(`retry: ${retryMs}\n\n`);
  while (!sink.signal.aborted) {
    const query: LookQuery = isFollowing ? { after } : { ...filters, after };
    const found = await lookByRightsOfNow(log.look, query, sink).catch((error) => unlessItPasses(error, sink));
    if (sink.signal.aborted) return;
    if (found === null) {
      await sleep(retryMs, undefined, { signal: sink.signal }).catch(() => undefined);
      continue;
    }
    const events = found.events.filter((event) => isWanted(event, filters));
    const text = asServerSentEvents({ ...found, events }, after);
    if (text !== '' || heartbeatInMs() <= 0) await send(text || heartbeat);
    after = found.through;
    isFollowing = after >= found.head;
    while (isFollowing && !(await log.logHead.beyond(after, heartbeatInMs(), sink.signal)) && !sink.signal.aborted)
      await send(heartbeat);
  }
}

/** A look by what the caller may see; taken again when that has become another while it was under way. */
async function lookByRightsOfNow(take: SharedLook, query: LookQuery, sink: Sink): Promise<Look> {
  for (;;) {
    const context = await sink.context();
    const found = await take(query, context);
    const now = await sink.context();
    if (isDeepStrictEqual(now.actor?.grants, context.actor?.grants)) return found;
  }
}

/** Null when there is no answer for now, or nobody to give it to any more; throws what will not pass. */
function unlessItPasses(error: unknown, { signal }: Sink): null {
  if (signal.aborted) return null;
  if (error instanceof AppError && (error.code === 'unavailable' || error.code === 'timeout')) return null;
  throw error;
}

/** The filters of a look, as the log applies them. */
function isWanted(event: Event, { type, project, feature, environment }: Filters): boolean {
  return (
    (type === undefined || event.type === type) &&
    (project === undefined || event.project === project) &&
    (feature === undefined || event.featureName === feature) &&
    (environment === undefined || event.environment === environment)
  );
}

/** The events of one look; before them, when it began later than asked, what is gone. */
export function asServerSentEvents({ events, after }: Omit<Look, 'through' | 'head'>, asked: number): string {
  const gone = after > asked ? `event: skipped\ndata: ${JSON.stringify({ from: asked + 1, to: after })}\n\n` : '';
  const sent = events.map((event) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return gone + sent;
}
