import type { Bus } from '@yardarm/shared/bus';
import { daySchema } from '@yardarm/shared/contracts';
import { type Event, exportEvents } from '@yardarm/shared/contracts/events';
import { z } from 'zod';
import type { OpenStream, OpenStreams } from '../../routing/open-streams.ts';
import { ofContract, type Route, route } from '../../routing/route.ts';
import { eventCsvHead, eventCsvLine } from './event-csv.ts';
import { readPage } from './tail.ts';

/** The media type, the text before the first event, and the text of an event. */
const formats = {
  ndjson: { type: 'application/x-ndjson', head: '', line: (event: Event) => `${JSON.stringify(event)}\n` },
  csv: { type: 'text/csv; charset=utf-8', head: eventCsvHead, line: eventCsvLine },
} as const;

/** A time with any offset, converted to UTC, in the years 1 to 9999. */
const dateTime = z
  .string()
  // An unencoded plus in a query is read as a blank. A time contains no other blank.
  .transform((text) => text.replace(' ', '+'))
  .pipe(z.iso.datetime({ offset: true }))
  .transform((text) => new Date(text).toISOString())
  .refine((text) => /^\d/.test(text) && text >= '0001');

const end = z
  .string()
  .transform((text, context) => {
    if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
    const time = daySchema.safeParse(text).data ?? dateTime.safeParse(text).data;
    if (time !== undefined) return time;
    const message =
      'should be the id of an event, a date (2026-01-31) or a time (2026-01-31T12:00:00Z), of the years 1 to 9999';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ description: 'The id of an event, a date in UTC (2026-01-31) or a time (2026-01-31T12:00:00Z)' });

/** GET /api/admin/events/export: streams a range of the log. */
export function exportEventsRoute(bus: Bus, streams: OpenStreams): Route {
  return route({
    method: 'get',
    path: '/api/admin/events/export',
    operationId: 'exportEvents',
    ...ofContract(exportEvents),
    summary: 'A range of the log, oldest first, as NDJSON or CSV; both ends included',
    tag: 'Events',
    audience: 'admin',
    query: z.object({
      format: z.enum(['ndjson', 'csv'], 'should be ndjson or csv').default('ndjson'),
      from: end.optional(),
      to: end.optional(),
    }),
    answer: { status: 200 },
    async handle({ query: { format, from, to }, context, token }) {
      const range = {
        after: typeof from === 'number' ? from - 1 : 0,
        ...(typeof to === 'number' && { upTo: to }),
        ...(typeof from === 'string' && { createdFrom: new Date(from).toISOString() }),
        ...(typeof to === 'string' && { createdTo: endOf(to) }),
      };
      // This read reports a refusal before the answer begins with 200. It also fixes the end of the range.
      const { head } = await readPage(bus, exportEvents, { ...range, limit: 1 }, context);
      const fixed = { ...range, upTo: Math.min(range.upTo ?? head, head) };
      const headers = {
        'content-type': formats[format].type,
        'content-disposition': `attachment; filename="events.${format}"`,
      };
      return {
        status: 200,
        respond: (client) =>
          streams.run({ ...client, token: token! }, headers, (stream) =>
            sendRange(bus, fixed, formats[format], stream),
          ),
      };
    },
  });
}

/** The end of a date, which includes its last millisecond. */
function endOf(to: string): string {
  return to.includes('T') ? to : `${to}T23:59:59.999Z`;
}

/** Reads a page only after the client has received the one before, so memory holds one page. */
async function sendRange(
  bus: Bus,
  range: { after: number; upTo: number },
  { head, line }: (typeof formats)[keyof typeof formats],
  { writer, context }: OpenStream,
): Promise<void> {
  if (head !== '') await writer.write(head);
  for (let after = range.after; after < range.upTo; ) {
    const found = await readPage(bus, exportEvents, { ...range, after }, await context());
    if (found.events.length > 0) await writer.write(found.events.map(line).join(''));
    after = found.through;
    // An aborted stream throws: a client must not take a part for the whole.
    writer.signal.throwIfAborted();
  }
}
