import type { IncomingMessage, RequestListener } from 'node:http';
import { inOneSlice, TimeShares } from '../time-shares.ts';

/** The routes whose answers are streams of SDKs and of providers. */
const paths = new Set(['/api/client/streaming', '/ofrep/v1/events']);

/**
 * Answers requests for streams in turns, refusals too: they have half of the process while they wait. Else thousands
 * that arrive at once, as after a restart, delay all others, and the listener accepts one connection in each iteration
 * of the event loop. Each address and token, which is not checked yet, has turns of its own. A request that waits
 * keeps no more than its connection does, so the limits of connections bound their number. When its client leaves, it
 * is forgotten.
 */
export function answerOpeningsInTurns(
  app: RequestListener,
  addressOf: (request: IncomingMessage) => string,
): RequestListener {
  const shares = new TimeShares({ restFromMs: 0, maxWaiting: Number.POSITIVE_INFINITY, works: 'requests' });
  return (request, response) => {
    const url = request.url!;
    if (!paths.has(url.split('?', 1)[0]!)) return app(request, response);
    const key = `${addressOf(request)} ${request.headers.authorization ?? url}`;
    const work = inOneSlice(() => app(request, response));
    const answered = shares.run(key, Number.POSITIVE_INFINITY, work);
    if (answered instanceof Promise) response.once('close', () => shares.leave(key, work));
  };
}
