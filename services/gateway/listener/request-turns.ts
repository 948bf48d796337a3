import type { IncomingMessage, RequestListener } from 'node:http';
import { inOneSlice, TimeShares } from '../time-shares.ts';

/**
 * As many as the benchmarks have connections: some milliseconds of ordinary requests. A clock for each of them would
 * take some percent of what it takes.
 */
const maxTogether = 32;

/** CPU time of those that begin at once beyond them, and of a turn after which other work has as long. */
const crowdRestFromMs = 4;

/** The routes whose answers are streams of SDKs and of providers. */
const paths = new Set(['/api/client/streaming', '/ofrep/v1/events']);

/**
 * Names who has the turns of a request, whose token is not checked yet: the address, and the token if it was accepted
 * before. With any token in the name, a client that sends another one each time would have a turn for each request.
 */
export type CallerOf = (request: IncomingMessage) => string;

/**
 * Answers requests for streams in turns, refusals too: they have half of the process while they wait. Else thousands
 * that arrive at once, as after a restart, delay all others, and the listener accepts one connection in each iteration
 * of the event loop. A request that waits keeps no more than its connection does, so the limits of connections bound
 * their number. When its client leaves, it is forgotten.
 */
export function answerOpeningsInTurns(app: RequestListener, callerOf: CallerOf): RequestListener {
  const inTurns = answerInTurns(app, callerOf, 0);
  return (request, response) =>
    paths.has(request.url!.split('?', 1)[0]!) ? inTurns(request, response) : app(request, response);
}

/**
 * Answers the first 32 other requests of an iteration of the event loop at once, and those beyond them in turns. So
 * hundreds of one caller that arrive together delay others by a turn, and not by all of theirs.
 */
export function answerCrowdsInTurns(app: RequestListener, callerOf: CallerOf): RequestListener {
  const inTurns = answerInTurns(app, callerOf, crowdRestFromMs);
  let begun = 0;
  return (request, response) => {
    begun += 1;
    if (begun > maxTogether) return inTurns(request, response);
    if (begun === 1) {
      setImmediate(() => {
        begun = 0;
      });
    }
    app(request, response);
  };
}

function answerInTurns(app: RequestListener, callerOf: CallerOf, restFromMs: number): RequestListener {
  const shares = new TimeShares({ restFromMs, maxWaiting: Number.POSITIVE_INFINITY, works: 'requests' });
  return (request, response) => {
    const caller = callerOf(request);
    const work = inOneSlice(() => app(request, response));
    const answered = shares.run(caller, Number.POSITIVE_INFINITY, work);
    if (answered instanceof Promise) response.once('close', () => shares.leave(caller, work));
  };
}
