import type { ServerResponse } from 'node:http';
import { AnswerWriter } from './answer-writer.ts';
import type { ListBody } from './list-body.ts';
import type { Reply } from './route.ts';

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
  const writer = new AnswerWriter(response, writeTimeoutMs);
  const begin = () => {
    if (response.headersSent) return;
    response.statusCode = reply.status;
    const headers = { ...reply.headers, 'content-type': 'application/json; charset=utf-8' };
    response.setHeaders(new Map(Object.entries(headers)));
  };
  let separator = Buffer.from(head);
  let held: Uint8Array[] | undefined;
  await writer.run(async () => {
    for await (const piece of pieces) {
      writer.signal.throwIfAborted();
      if (piece.length === 0) continue;
      if (held) {
        begin();
        await writer.write(...held);
      }
      held = [separator, piece];
      separator = comma;
    }
    begin();
    const end = typeof tail === 'string' ? tail : tail();
    response.end(Buffer.concat([...(held ?? [separator]), Buffer.from(end)]));
  });
}
