import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { networkOf } from '@yardarm/shared/auth';
import { ConcurrencyLimit, type MaybePromise } from '@yardarm/shared/waiting';
import onHeaders from 'on-headers';
import proxyAddress from 'proxy-addr';
import { inOneSlice, TimeShares } from '../time-shares.ts';

/**
 * As many as the benchmarks have connections: some milliseconds of ordinary requests. A clock for each of them would
 * take some percent of what it takes.
 */
const maxTogether = 32;

/** CPU time of those that begin at once beyond them, and of a turn after which other work has as long. */
const crowdRestFromMs = 4;

/** Requests without an answer at which those that come are a crowd. The benchmarks have 64. */
const maxUnanswered = 96;

/** Requests of a caller without an answer in a crowd. No turn bounds what a request does after it has waited. */
const maxUnansweredOfCaller = 16;

/** The routes whose answers are streams of SDKs and of providers. */
const paths = new Set(['/api/client/streaming', '/ofrep/v1/events']);

/**
 * Names who has the turns of a request, whose token is not checked yet: the network of the address, and the token if it
 * was accepted before. With any token in the name, a client that sends another one each time would have a turn for each
 * request, as it would with each address of its network.
 */
export type CallerOf = (request: IncomingMessage) => string;

export function createCallerOf(
  isTrusted: (address: string, index: number) => boolean,
  acceptedToken: (headers: IncomingHttpHeaders) => unknown,
): CallerOf {
  return (request) => `${networkOf(proxyAddress(request, isTrusted))} ${acceptedToken(request.headers)}`;
}

/**
 * Answers requests for streams in turns, refusals too: they have half of the process while they wait. Else thousands
 * that arrive at once, as after a restart, delay all others, and the listener accepts one connection in each iteration
 * of the event loop. A request that waits keeps no more than its connection does, so the limits of connections bound
 * their number. When its client leaves, it is forgotten.
 */
export function answerOpeningsInTurns(app: RequestListener, callerOf: CallerOf): RequestListener {
  const beginInTurn = turnsOf(app, 0);
  return (request, response) => {
    if (paths.has(request.url!.split('?', 1)[0]!)) void beginInTurn(callerOf(request), request, response);
    else app(request, response);
  };
}

/**
 * Answers other requests at once, up to 32 in an iteration of the event loop and while less than 96 have no answer.
 * Those beyond them are a crowd: they begin in turns, and each caller has 16 of them without an answer. So hundreds of
 * one caller that arrive together delay others by a turn, and by what 16 do after they have waited.
 */
export function answerCrowdsInTurns(app: RequestListener, callerOf: CallerOf): RequestListener {
  const beginInTurn = turnsOf(app, crowdRestFromMs);
  const places = new ConcurrencyLimit(Number.POSITIVE_INFINITY, '', { maxOfActor: maxUnansweredOfCaller });
  const unanswered = new Unanswered();
  let begun = 0;
  return (request, response) => {
    begun += 1;
    if (begun === 1) {
      setImmediate(() => {
        begun = 0;
      });
    }
    if (begun > maxTogether || unanswered.count() >= maxUnanswered) {
      const caller = callerOf(request);
      // Else all that its caller sends and leaves would stay in memory until the others have their answers.
      const onWait = (refuse: () => void) => void response.once('close', refuse);
      const begins = places.run({ deadline: Number.POSITIVE_INFINITY, key: caller, onWait }, async () => {
        if (!response.closed) await beginInTurn(caller, request, response);
        if (!isAnswered(response)) await untilAnswered(response);
      });
      begins.catch((error: unknown) => {
        if (!response.closed) throw error;
      });
      return;
    }
    app(request, response);
    unanswered.add(response);
  };
}

/** Requests that were begun and are not answered yet. */
class Unanswered {
  readonly #responses = new Set<ServerResponse>();

  add(response: ServerResponse): void {
    if (!isAnswered(response)) this.#responses.add(response);
  }

  /** Exact from `maxUnanswered` on. */
  count(): number {
    if (this.#responses.size < maxUnanswered) return this.#responses.size;
    for (const response of this.#responses) if (isAnswered(response)) this.#responses.delete(response);
    return this.#responses.size;
  }
}

/** Whether the answer has begun, or its client has left. A stream and a download need no place after that. */
const isAnswered = (response: ServerResponse) => response.headersSent || response.closed;

function untilAnswered(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    onHeaders(response, resolve);
    response.once('close', resolve);
  });
}

/** Resolves when the app has the request, or its client has left. */
function turnsOf(app: RequestListener, restFromMs: number) {
  const shares = new TimeShares({ restFromMs, maxWaiting: Number.POSITIVE_INFINITY, works: 'requests' });
  return (caller: string, ...[request, response]: Parameters<RequestListener>): MaybePromise<void> => {
    const work = inOneSlice(() => void app(request, response));
    const begun = shares.run(caller, Number.POSITIVE_INFINITY, work);
    if (begun instanceof Promise) response.once('close', () => shares.leave(caller, work));
    return begun;
  };
}
