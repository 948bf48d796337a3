import type { ServerResponse } from 'node:http';
import { cutAnswers } from '../metrics.ts';
import { sharedInFlight } from './bytes-in-flight.ts';

/**
 * Counts the body of an answer until its connection is closed or the returned function is called. A client that does
 * not read keeps it in memory, until all such bodies are too large together: then the answer is cut. A body that many
 * answers have counts once.
 */
export function countUntilRead(response: ServerResponse, body: Buffer): () => void {
  const release = sharedInFlight.hold(body, () => {
    cutAnswers.inc();
    response.destroy();
  });
  const end = () => {
    // A stream is open for hours, and its listener would keep the body of its first event.
    response.off('close', end);
    release();
  };
  response.once('close', end);
  return end;
}
