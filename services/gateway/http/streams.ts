import { once } from 'node:events';
import type { RequestContext } from '@yardarm/shared/bus';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { Response } from 'express';
import type { AuthResult } from '../authentication/authenticator.ts';
import type { Reply } from './route.ts';

/** An idle stream is a socket and a timer; this many are some tens of megabytes. */
const maxStreams = 1_000;

/** A tool on each of some machines, or a page in each of some tabs; and twenty callers at least share what a gateway takes. */
const maxStreamsPerToken = 50;

/** A stream whose client is gone without a word is found out when it is next written to: event streams are every 15 s. */
const retryAfterSeconds = 15;

/**
 * A revocation whose hint was lost ends a stream within 30 s. The first knock that finds the token older than 10 s asks for it again,
 * and the next knock has the answer: 20 s.
 */
const authenticateEveryMs = 5_000;

/** Who takes nothing for this long holds what is buffered for it for nothing. */
const slowLimitMs = 30_000;

/** Who came in, as far as a stream has to know. */
type Caller = Pick<AuthResult, 'actor' | 'token'>;

/** The door by which the caller of a stream came in, to be opened again. */
interface StreamAuth {
  authResult: Caller;
  authRequest(context: RequestContext): Promise<Caller>;
}

/** Every answer of this process that is being sent bit by bit. */
export interface Streams {
  /**
   * Sends the reply's stream; resolves when it is over. Throws before anything is sent: `unavailable` when there are too many,
   * `rate-limited` when there are too many of this caller.
   */
  send(response: Response, reply: Reply, audience: StreamAuth, context: RequestContext): Promise<void>;
  /** Opens the doors anew of those streams whose token is concerned. */
  authRequest(concerns: (token: ResolvedToken) => boolean): void;
  /** Ends all of them, and takes no new ones. */
  stop(): void;
}

interface OpenStream {
  caller: string;
  over: AbortController;
  token(): ResolvedToken | null;
  authenticate(): Promise<RequestContext>;
}

/**
 * Makes the streams of a gateway.
 *
 *   open -> ended      the reply's function returned: the answer is whole.
 *   open -> broken off the reply's function threw: what is wrong is the caller's of send() to log.
 *   open -> over       the client has gone or is too slow, the token has expired, the door does not open any more, or the gateway stops:
 *                      the signal says so; a function that returns then has ended its answer, one that throws has broken it off, which
 *                      is nobody's fault.
 *
 * The door is opened anew for every request that a stream makes, so that it shows nothing by rights that plain requests do not have any
 * more; and, for streams that have nothing to ask for, when a hint concerns their token, and every 5 s in case that a hint was lost.
 */
export function createStreams(limits: { requestTimeoutMs: number; authenticateEveryMs?: number }): Streams {
  const open = new Set<OpenStream>();
  let isStopped = false;

  function refuseTooMany(caller: string): void {
    if (isStopped || open.size >= maxStreams)
      throw new AppError('unavailable', 'This process takes no more streams.', { retryAfterSeconds: 1 });
    if ([...open].filter((stream) => stream.caller === caller).length < maxStreamsPerToken) return;
    const words = `You have ${maxStreamsPerToken} streams and exports open here, and may have no more. End one of them first.`;
    throw new AppError('rate-limited', words, { retryAfterSeconds });
  }

  return {
    async send(response, reply, { authResult, authRequest }, context) {
      // The client may have gone while the answer was made: nothing would say so any more.
      if (response.destroyed) return;
      const caller = nameOf(authResult);
      refuseTooMany(caller);
      const over = new AbortController();
      response.once('close', () => over.abort());
      let { token } = authResult;

      const stream = { caller, over, token: () => token, authenticate };
      open.add(stream);
      let timer: NodeJS.Timeout | undefined;

      async function authenticate(): Promise<RequestContext> {
        const now = { ...context, actor: null, deadline: Date.now() + limits.requestTimeoutMs };
        try {
          const { actor, token: known } = await authRequest(now);
          token = known;
          return { ...now, actor };
        } catch (refusal) {
          // Not to be asked is no refusal: the next knock says.
          const isAway = refusal instanceof AppError && refusal.status >= 500;
          if (!isAway) over.abort();
          throw refusal;
        } finally {
          setAlarm();
        }
      }

      function setAlarm(): void {
        clearTimeout(timer);
        if (!open.has(stream)) return;
        const untilExpiryMs = token?.expiresAt ? Date.parse(token.expiresAt) - Date.now() : Number.POSITIVE_INFINITY;
        if (untilExpiryMs <= 0) over.abort();
        else
          timer = setTimeout(
            authenticateAgain,
            Math.min(untilExpiryMs, limits.authenticateEveryMs ?? authenticateEveryMs),
          );
      }

      function authenticateAgain(): void {
        // Also before: whoever is asked may be long in answering, and an expiry waits for nobody.
        setAlarm();
        authenticate().catch(() => undefined);
      }

      // At once as well: a hint may have come while the answer was made.
      authenticateAgain();
      try {
        writeHead(response, reply);
        response.flushHeaders();
        await reply.stream?.({
          signal: over.signal,
          write: (text) => write(response, text, over),
          context: authenticate,
        });
        response.end();
      } catch (error) {
        if (!over.signal.aborted) throw error;
        response.destroy();
      } finally {
        open.delete(stream);
        clearTimeout(timer);
      }
    },
    authRequest(concerns) {
      for (const { token, authenticate } of open) {
        const shown = token();
        if (shown !== null && concerns(shown)) authenticate().catch(() => undefined);
      }
    },
    stop() {
      isStopped = true;
      for (const { over } of open) over.abort();
    },
  };
}

/** Whose streams are counted together: somebody's by whichever token, and those of each admin token, who are all one actor. */
function nameOf({ actor, token }: Caller): string {
  return actor === null || actor.kind === 'admin-token' ? `token ${token?.id}` : `${actor.kind} ${actor.id}`;
}

/** Puts status and headers of a reply on the response. */
export function writeHead(response: Response, { status, headers = {} }: Reply): void {
  response.status(status);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

async function write(response: Response, text: string, over: AbortController): Promise<void> {
  over.signal.throwIfAborted();
  if (response.write(text)) return;
  try {
    await once(response, 'drain', { signal: AbortSignal.any([over.signal, AbortSignal.timeout(slowLimitMs)]) });
  } catch (error) {
    over.abort();
    response.destroy();
    throw error;
  }
}
