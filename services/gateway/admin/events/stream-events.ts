import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Bus } from '@yardarm/shared/bus';
import { type Event, readAfter } from '@yardarm/shared/contracts/events';
import { AppError, isTransient } from '@yardarm/shared/errors';
import { ConcurrencyLimit } from '@yardarm/shared/waiting';
import { eventStreamHeaders, type OpenStream, type OpenStreams } from '../../routing/open-streams.ts';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { wholeNumber } from '../../routing/wire.ts';
import type { LogHead } from './log-head.ts';
import { createSharedRead, type LogPage, readPage, type SharedRead } from './tail.ts';

/** Beyond the end of any log. */
const lastPosition = 999_999_999_999_999;
const position = wholeNumber(0, lastPosition);

/** Events restarts within seconds. */
const retryMs = 1_000;

/**
 * Of streams that read earlier events, in pages of up to 2 MB. A page takes a connection of events and its memory,
 * which searches and the recorder need too.
 */
const maxCatchUps = 2;

/** GET /api/admin/events/stream: the log as it grows, as server-sent events with the ids of the events. */
export function streamEventsRoute(bus: Bus, logHead: LogHead, streams: OpenStreams): Route {
  const catchUps = new ConcurrencyLimit(maxCatchUps, 'Too many streams read earlier events.');
  const reads = { behind: createSharedRead(bus, catchUps), following: createSharedRead(bus) };
  return route({
    method: 'get',
    path: '/api/admin/events/stream',
    operationId: 'streamEvents',
    ...ofContract(readAfter),
    summary:
      'Events as they are recorded, as server-sent events; continues after `after` or Last-Event-ID, else from now',
    tag: 'Events',
    audience: 'admin',
    query: readAfter.input.pick({ type: true, project: true, feature: true, environment: true }).extend({
      after: position.optional(),
    }),
    answer: { status: 200 },
    async handle({ query: { after, ...filters }, context, token, header }) {
      const from = lastEventId(header('last-event-id')) ?? after;
      // This read finds no events. It reports a refusal before the answer begins with 200, and the end of the log.
      const { head, epoch } = await readPage(bus, readAfter, { ...filters, after: lastPosition }, context);
      return {
        status: 200,
        respond: (client) =>
          streams.run({ ...client, token: token! }, eventStreamHeaders, (stream) =>
            streamEvents({ reads, logHead }, filters, { after: from ?? head, epoch }, stream),
          ),
      };
    },
  });
}

/** The header of a reconnecting EventSource. It overrides `after`, since the URL is still that of the first request. */
function lastEventId(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const parsed = position.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'validation',
    `The Last-Event-ID header should be the id of an event. You sent "${text.slice(0, 100)}".`,
  );
}

type LogQuery = Parameters<SharedRead>[0];
type LogPosition = Required<Pick<LogQuery, 'after' | 'epoch'>>;
type Filters = Pick<LogQuery, 'type' | 'project' | 'feature' | 'environment'>;

/**
 * Sends the log after an id until the stream ends. States:
 *
 *   behind    Reads pages of the log with the filters of the stream, up to the end of the log. Callers take turns.
 *   following Reads the log when it has grown. Streams with the same grants share this read. Each filters the events.
 *   retrying  Events or accounts did not answer. Reads again from the stream's position.
 *
 * A range that retention has deleted is reported as an event `skipped`. After a restore of the database the stream
 * continues behind the restored events.
 */
async function streamEvents(
  log: { reads: Record<'behind' | 'following', SharedRead>; logHead: LogHead },
  filters: Filters,
  from: LogPosition,
  stream: OpenStream,
): Promise<void> {
  let { after, epoch } = from;
  let isFollowing = false;
  const { writer } = stream;
  const { signal } = writer;

  await writer.write(`retry: ${retryMs}\n\n`);
  while (!signal.aborted) {
    const query: LogQuery = isFollowing ? { after, epoch } : { ...filters, after, epoch };
    const read: SharedRead = log.reads[isFollowing ? 'following' : 'behind'];
    const found = await readWithCurrentGrants(read, query, stream).catch((error) => nullIfTemporary(error, signal));
    if (signal.aborted) return;
    if (found === null) {
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      continue;
    }
    const events = found.events.filter((event) => matches(event, filters));
    const sent = toServerSentEvents({ ...found, events }, after);
    if (sent !== null) await writer.write(sent);
    // A position that the client made up may be beyond the end of the log.
    after = Math.min(found.through, found.head);
    epoch = found.epoch;
    isFollowing = after >= found.head;
    log.logHead.found({ id: found.head, epoch });
    if (isFollowing) await log.logHead.waitBeyond({ id: after, epoch }, signal);
  }
}

/** Reads with the grants of the caller, and again when they have changed during the read. */
async function readWithCurrentGrants(read: SharedRead, query: LogQuery, stream: OpenStream): Promise<LogPage> {
  for (;;) {
    const context = await stream.context();
    const found = await read(query, context);
    const now = await stream.context();
    if (isDeepStrictEqual(now.actor?.grants, context.actor?.grants)) return found;
  }
}

/** Null when the error is temporary or the stream has ended; otherwise throws the error. */
function nullIfTemporary(error: unknown, signal: AbortSignal): null {
  if (signal.aborted) return null;
  if (isTransient(error)) return null;
  throw error;
}

function matches(event: Event, { type, project, feature, environment }: Filters): boolean {
  return (
    (type === undefined || event.type === type) &&
    (project === undefined || event.project === project) &&
    (feature === undefined || event.featureName === feature) &&
    (environment === undefined || event.environment === environment)
  );
}

/** The events of one page, if any. When it begins later than requested, an event `skipped` comes first. */
function toServerSentEvents({ events, after }: Omit<LogPage, 'through' | 'head'>, requested: number): Buffer | null {
  const parts = events.map(bytesOf);
  if (after > requested) {
    const skipped = { from: requested + 1, to: after };
    parts.unshift(Buffer.from(`event: skipped\ndata: ${JSON.stringify(skipped)}\n\n`));
  }
  return parts.length <= 1 ? (parts[0] ?? null) : Buffer.concat(parts);
}

/** Of the events of reads that streams share: an event of a megabyte takes milliseconds to write out. */
const encoded = new WeakMap<Event, Buffer>();

function bytesOf(event: Event): Buffer {
  const bytes = encoded.get(event) ?? Buffer.from(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
  encoded.set(event, bytes);
  return bytes;
}
