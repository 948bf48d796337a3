import type { ServerResponse } from 'node:http';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { AuthResult } from '../authentication/authenticator.ts';
import type { Reply } from './route.ts';
import { write, writeHead } from './write.ts';

/** An idle stream is a socket and a timer. This many take some tens of megabytes. */
const maxStreams = 1_000;

/** Enough for a tool on several machines or a page in several tabs. At least twenty callers share a gateway. */
const maxStreamsPerCaller = 50;

/** A lost connection is noticed with the next write. Event streams write every 15 s. */
const retryAfterSeconds = 15;

/**
 * A revocation whose hint was lost ends a stream within 30 s. The first authentication with a token older than 10 s
 * asks for it again, and the next one uses the answer: 20 s.
 */
const authenticateEveryMs = 5_000;

/** A client that reads nothing for this long only occupies its buffer. */
const writeTimeoutMs = 30_000;

type Caller = Pick<AuthResult, 'actor' | 'token'>;

interface StreamAuth {
  authResult: Caller;
  authenticate(context: RequestContext): Promise<Caller>;
}

export interface Streams {
  /**
   * Sends the reply's stream and resolves at its end. HEAD gets the head and opens no stream. Throws `unavailable`
   * when there are too many streams, and `rate-limited` when this caller has too many, both before the answer begins.
   */
  send(response: ServerResponse, reply: Reply, auth: StreamAuth, context: RequestContext): Promise<void>;
  /** Authenticates the streams again whose token is affected. */
  reauthenticate(isAffected: (token: ResolvedToken) => boolean): void;
  /** Ends all streams and refuses new ones. */
  stop(): void;
}

interface OpenStream {
  caller: string;
  controller: AbortController;
  token(): ResolvedToken | null;
  authenticate(): Promise<RequestContext>;
}

/**
 * States of a stream:
 *
 *   open -> ended      The reply's function returned: the answer is complete.
 *   open -> broken off The reply's function threw. send() throws the error, and its caller logs it.
 *   open -> aborted    The client has gone or is too slow, the token has expired, the caller is refused, or the gateway
 *                      stops. The signal is aborted. A function that then returns ends the answer. One that throws
 *                      breaks it off, which is not logged.
 *
 * A stream authenticates its caller again for each of its requests, so it never uses permissions that plain requests no
 * longer have. It also does so when a hint affects its token, and every 5 s because a hint may be lost.
 */
export function createStreams(limits: { requestTimeoutMs: number; authenticateEveryMs?: number }): Streams {
  const open = new Set<OpenStream>();
  let isStopped = false;

  function refuseTooMany(caller: string): void {
    if (isStopped || open.size >= maxStreams)
      throw new AppError('unavailable', 'This process accepts no more streams.', { retryAfterSeconds: 1 });
    if ([...open].filter((stream) => stream.caller === caller).length < maxStreamsPerCaller) return;
    const message = `You already have ${maxStreamsPerCaller} streams and exports open here. End one of them first.`;
    throw new AppError('rate-limited', message, { retryAfterSeconds });
  }

  return {
    async send(response, reply, auth, context) {
      // The client may have gone already: then there is no `close` event any more.
      if (response.destroyed) return;
      if (response.req.method === 'HEAD') {
        writeHead(response, reply);
        response.end();
        return;
      }
      const caller = callerKey(auth.authResult);
      refuseTooMany(caller);
      const controller = new AbortController();
      response.once('close', () => controller.abort());
      let { token } = auth.authResult;

      const stream = { caller, controller, token: () => token, authenticate };
      open.add(stream);
      let timer: NodeJS.Timeout | undefined;

      async function authenticate(): Promise<RequestContext> {
        const now = { ...context, actor: null, deadline: Date.now() + limits.requestTimeoutMs };
        try {
          const caller = await auth.authenticate(now);
          token = caller.token;
          return { ...now, actor: caller.actor };
        } catch (error) {
          // Accounts may be unavailable, which is not a refusal: the stream stays open until the next authentication.
          const isUnavailable = error instanceof AppError && error.status >= 500;
          if (!isUnavailable) controller.abort();
          throw error;
        } finally {
          setTimer();
        }
      }

      function setTimer(): void {
        clearTimeout(timer);
        if (!open.has(stream)) return;
        const untilExpiryMs = token?.expiresAt ? Date.parse(token.expiresAt) - Date.now() : Number.POSITIVE_INFINITY;
        if (untilExpiryMs <= 0) controller.abort();
        else
          timer = setTimeout(
            authenticateAgain,
            Math.min(untilExpiryMs, limits.authenticateEveryMs ?? authenticateEveryMs),
          );
      }

      function authenticateAgain(): void {
        // The timer is also set now: the answer may take long, and the token may expire meanwhile.
        setTimer();
        authenticate().catch(() => undefined);
      }

      // Once at the beginning: a hint may have arrived while the answer was made.
      authenticateAgain();
      try {
        writeHead(response, reply);
        response.flushHeaders();
        await reply.stream?.({
          signal: controller.signal,
          write: (text) => write(response, [text], controller, writeTimeoutMs),
          context: authenticate,
        });
        response.end();
      } catch (error) {
        if (!controller.signal.aborted) throw error;
        response.destroy();
      } finally {
        open.delete(stream);
        clearTimeout(timer);
      }
    },
    reauthenticate(isAffected) {
      for (const stream of open) {
        const token = stream.token();
        if (token !== null && isAffected(token)) stream.authenticate().catch(() => undefined);
      }
    },
    stop() {
      isStopped = true;
      for (const { controller } of open) controller.abort();
    },
  };
}

/** The key for the limit per caller: the actor, or the token, since all admin tokens have the same actor. */
function callerKey({ actor, token }: Caller): string {
  return actor === null || actor.kind === 'admin-token' ? `token ${token?.id}` : `${actor.kind} ${actor.id}`;
}
