import { setImmediate } from 'node:timers/promises';
import { encodeParts, type Frame, readAhead, type ServedContext, textsOf } from '@yardarm/shared/bus';
import type { findEvents, searchEvents } from '@yardarm/shared/contracts/events';
import { AppError } from '@yardarm/shared/errors';
import { toEvent } from './event.ts';
import type { PageTurns } from './page-turns.ts';
import type { PagePart } from './search-events.ts';

/** Of the ten seconds of a request. The rest is for reading the page, also on a busy machine, and for its way. */
const maxWaitMs = 3_000;

/** An answer needs as long at most to reach the gateway before it gives up. */
const answerMs = 500;

/** As an answer of the playground. A page of 1,000 events may have 50 kB for each. An event has at most 1 MB. */
export const maxPageBytes = 50_000_000;
const alwaysFitting = 50;

/**
 * The frames of a page. The whole page is read and encoded before the first frame is sent, so that a page beyond the
 * limit gets an ordinary answer; frames are deflated to a tenth or less. A slow caller occupies neither a connection
 * nor the turn of another one. Throws `bad-data` beyond `maxPageBytes`, and `unavailable` when its turn does not come
 * within `maxWaitMs` or the time does not suffice.
 */
export function pageFrames<C extends typeof findEvents | typeof searchEvents>(
  contract: C,
  parts: AsyncIterable<PagePart>,
  { turns, limit, total: totalField }: { turns: PageTurns; limit: number; total: 'total' | 'totalEvents' },
  context: ServedContext,
): AsyncGenerator<Frame> {
  const turn = turns.of(limit);
  return readAhead(async (push) => {
    const deadline = Math.min(context.deadline, Date.now() + maxWaitMs);
    const frames = await turn.run({ ...context, deadline }, async () => {
      const encoded: Frame[] = [];
      let bytes = 0;
      for await (const { rows, total } of parts) {
        for (const frame of encodeParts(contract, textsOf(rows.map(toEvent)), { [totalField]: total })) {
          encoded.push(frame);
          bytes += frame.bytes;
          if (bytes > maxPageBytes && limit > alwaysFitting) throw pageTooLarge(limit);
          if (Date.now() >= context.deadline - answerMs) throw tooSlow();
          // A frame takes a few milliseconds. Other requests run between two of them.
          await setImmediate();
        }
      }
      return encoded;
    });
    for (const frame of frames) push(frame);
  }, context);
}

function pageTooLarge(limit: number): AppError {
  return new AppError(
    'bad-data',
    `The page with the \`limit\` ${limit} has more than ${maxPageBytes} bytes. Ask for fewer events; ${alwaysFitting} always fit.`,
  );
}

function tooSlow(): AppError {
  return new AppError('unavailable', 'The page was not read in time.', { retryAfterSeconds: 1 });
}
