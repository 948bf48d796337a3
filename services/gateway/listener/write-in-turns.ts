import type { ServerResponse } from 'node:http';

/** The kernel copies this much in some ten microseconds, and a document of 1.5 MB takes 23 turns. */
const pieceBytes = 65_536;

interface Writing {
  response: ServerResponse;
  body: Buffer;
  /** How much of the body is written. */
  offset: number;
}

/** The answers that can be written further. */
const waiting: Writing[] = [];
let isScheduled = false;

/**
 * Writes the body piece by piece and ends the response, whose head is written. Each turn of the event loop writes one
 * piece of one answer. The kernel copies every byte that it accepts, several MB for each connection that reads nothing.
 * Without turns, hundreds of large answers at once hold up all other requests for seconds. States of an answer:
 *
 *   waiting  It gets the next turn after those before it.
 *   full     The connection accepts no more. It waits again after 'drain'.
 *   done     Its last piece is written, or its connection is closed.
 */
export function writeInTurns(response: ServerResponse, body: Buffer): void {
  wait({ response, body, offset: 0 });
}

function wait(writing: Writing): void {
  waiting.push(writing);
  schedule();
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(() => {
    isScheduled = false;
    writePiece(waiting.shift()!);
    schedule();
  });
}

function writePiece(writing: Writing): void {
  const { response, body, offset } = writing;
  if (response.destroyed) return;
  const piece = body.subarray(offset, offset + pieceBytes);
  writing.offset += piece.length;
  if (writing.offset >= body.length) response.end(piece);
  else if (response.write(piece)) wait(writing);
  else response.once('drain', () => wait(writing));
}
