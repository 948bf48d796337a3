import { once } from 'node:events';
import type { RequestContext } from '@yardarm/shared/bus';
import { AppError } from '@yardarm/shared/errors';
import type { Response } from 'express';
import type { Reply } from './route.ts';

/** An idle stream is a socket and a timer; this many are some tens of megabytes. */
const mostStreams = 1_000;

/** targets.md, promise 7: a revocation is felt within 30 s, also by who was let in before. */
const knockEveryMs = 30_000;

/** Who takes nothing for this long holds what is buffered for it for nothing. */
const slowLimitMs = 30_000;

/** Every answer of this process that is being sent bit by bit. */
export interface Streams {
  /** Sends the reply's stream; resolves when it is over. Throws `unavailable` when there are too many, before anything is sent. */
  send(
    response: Response,
    reply: Reply,
    knock: (context: RequestContext) => Promise<Pick<RequestContext, 'actor'>>,
    context: RequestContext,
  ): Promise<void>;
  /** Ends all of them, and takes no new ones. */
  stop(): void;
}

/**
 * Makes the streams of a gateway.
 *
 *   open -> ended      the reply's function returned: the answer is whole.
 *   open -> over       the client has gone or is too slow, the door does not open any more (asked every 30 s), or the gateway stops:
 *                      the signal says so; a function that returns then has ended its answer, one that throws has broken it off.
 */
export function createStreams(limits: { requestTimeoutMs: number; knockEveryMs?: number }): Streams {
  const open = new Set<AbortController>();
  let isStopped = false;

  return {
    async send(response, reply, knock, context) {
      if (isStopped || open.size >= mostStreams) {
        throw new AppError('unavailable', 'This process takes no more streams.', { retryAfterSeconds: 1 });
      }
      const over = new AbortController();
      open.add(over);
      response.once('close', () => over.abort());
      let { actor } = context;
      const contextNow = () => ({ ...context, actor, deadline: Date.now() + limits.requestTimeoutMs });
      const knocking = setInterval(() => {
        knock(contextNow()).then(
          (opened) => {
            actor = opened.actor;
          },
          (refusal) => {
            // Not to be asked is no refusal: the next knock says.
            const isAway = refusal instanceof AppError && refusal.status >= 500;
            if (!isAway) over.abort();
          },
        );
      }, limits.knockEveryMs ?? knockEveryMs);
      try {
        writeHead(response, reply);
        response.flushHeaders();
        await reply.stream?.({
          signal: over.signal,
          write: (text) => write(response, text, over),
          context: contextNow,
        });
        response.end();
      } finally {
        clearInterval(knocking);
        open.delete(over);
      }
    },
    stop() {
      isStopped = true;
      for (const over of open) over.abort();
    },
  };
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
