import type { ServerResponse } from 'node:http';
import type { ListBody } from './list-body.ts';
import type { Reply } from './route.ts';
import { write, writeHead } from './write.ts';

const comma = Buffer.from(',');

/**
 * Sends a list as its pieces arrive. Asks for the next piece when the socket accepts more, so a slow client costs the
 * memory of a few pieces. The last piece that arrived is held back: a list of one piece is sent with its length, and an
 * error before the second piece is an ordinary answer. Throws the errors of the pieces; the caller then breaks off an
 * answer that has begun. Resolves when the client has gone, or has read nothing for `writeTimeoutMs`.
 */
export async function sendList(
  response: ServerResponse,
  reply: Reply,
  { head, pieces, tail }: ListBody,
  writeTimeoutMs: number,
): Promise<void> {
  // The client may have gone already: then there is no `close` event any more.
  if (response.destroyed) return;
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const begin = () => {
    if (response.headersSent) return;
    writeHead(response, reply);
    response.setHeader('content-type', 'application/json; charset=utf-8');
  };
  let separator = Buffer.from(head);
  let held: Uint8Array[] | undefined;
  try {
    for await (const piece of pieces) {
      controller.signal.throwIfAborted();
      if (piece.length === 0) continue;
      if (held) {
        begin();
        await write(response, held, controller, writeTimeoutMs);
      }
      held = [separator, piece];
      separator = comma;
    }
    begin();
    response.end(Buffer.concat([...(held ?? [separator]), Buffer.from(tail)]));
  } catch (error) {
    if (!controller.signal.aborted) throw error;
    response.destroy();
  }
}
