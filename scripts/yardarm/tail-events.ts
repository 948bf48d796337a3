// Follows GET /api/admin/events/stream.
//
//   reading       A connection is open. Each event is printed, and its id is kept.
//   reconnecting  The connection has ended, by a stop of the gateway or by the network. It asks again after a second,
//                 after the last id, so that no event is missing and none is printed twice. A refusal is thrown, such
//                 as that of a token that was revoked.

import { pause } from '@yardarm/shared/waiting';
import type { Api } from './api.ts';
import { OutageError } from './errors.ts';

/** What the stream itself names as `retry`. */
const retryMs = 1_000;

export async function tailEvents(
  api: Api,
  query: Record<string, string>,
  print: (event: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = `/api/admin/events/stream?${new URLSearchParams(query)}`;
  let lastId: string | undefined;
  // The first outage is thrown too: YARDARM_URL may be wrong.
  let response = await api.open(path, { signal }).catch((error: unknown) => (signal.aborted ? null : rethrow(error)));
  while (!signal.aborted) {
    if (response !== null) {
      try {
        for await (const { id, event, data } of serverSentEvents(response.body!)) {
          if (id !== undefined) lastId = id;
          if (data !== undefined) print(event === 'skipped' ? { skipped: JSON.parse(data) } : JSON.parse(data));
        }
      } catch (error) {
        // The connection broke. A line that cannot be parsed is a bug.
        if (error instanceof SyntaxError) throw error;
      }
    }
    await pause(retryMs, signal);
    const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
    response = signal.aborted ? null : await api.open(path, { headers, signal }).catch(nullIfAway);
  }

  function nullIfAway(error: unknown): null {
    if (signal.aborted || error instanceof OutageError) return null;
    throw error;
  }
}

function rethrow(error: unknown): never {
  throw error;
}

/** The fields of each server-sent event. The gateway writes each field on one line. */
async function* serverSentEvents(body: NonNullable<Response['body']>): AsyncGenerator<Record<string, string>> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) yield Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2)));
  }
}
