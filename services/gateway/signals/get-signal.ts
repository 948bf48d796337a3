import type { Bus } from '@yardarm/shared/bus';
import { acceptedSignalSchema, getSignal } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { RateLimited } from '../rate-limited.ts';
import { refuseTransient } from '../refuse-transient.ts';
import { type Route, route } from '../routing/route.ts';
import { RateWindow } from './rate-window.ts';
import { signalReply, toSignal, withPayload } from './send-signal.ts';

/** A signal is stored within a second, so a sender that polls needs no more. */
const maxReadsPerSecond = 10;
/** The tokens whose reads are counted; each takes some 200 bytes. */
const maxTokens = 10_000;

/** GET /api/signal-endpoint/{name}/signals/{id}: returns a stored signal to its sender. */
export function getSignalRoute(bus: Bus): Route {
  const useRead = createReadLimit();
  return route({
    method: 'get',
    path: '/api/signal-endpoint/:name/signals/:id',
    operationId: 'getSignal',
    summary:
      'A signal that was sent with the same token, once it is stored; at most 10 requests per second, token and gateway',
    tag: 'Signals',
    audience: 'signal',
    params: z.object({ name: z.string(), id: z.string() }),
    answer: { status: 200, schema: acceptedSignalSchema },
    errors: ['not-found', 'rate-limited', 'unavailable'],
    async handle({ params, sender, context }) {
      if (!sender) throw new Error('a signal route was called without a sender');
      useRead(sender.tokenId);
      // Ids are below 2^53. Any other text is no id.
      const id = /^[1-9]\d{0,14}$/.test(params.id) ? Number(params.id) : null;
      const { signal } =
        id === null
          ? { signal: null }
          : await bus
              .request(getSignal, { ...sender, id }, context)
              .catch((error: unknown) => refuseTransient('The signal cannot be read now.', 'signals', error));
      if (id === null || !signal) {
        throw new AppError('not-found', `The signal with ID "${params.id.slice(0, 100)}" is not stored yet.`, {
          retryAfterSeconds: 1,
        });
      }
      return signalReply(withPayload(toSignal(sender, id, signal.createdAt), signal.payloadText));
    },
  });
}

/** Throws `rate-limited` when a token has made as many reads here in the last second as it may. */
export function createReadLimit(clock: () => number = () => performance.now()): (tokenId: number) => void {
  const reads = new LRUCache<number, RateWindow>({ max: maxTokens });
  return (tokenId) => {
    const now = clock();
    const ofToken = reads.get(tokenId) ?? new RateWindow();
    if (ofToken.waitMs(now, maxReadsPerSecond) > 0) {
      throw new RateLimited('signal-reads', `A token may read at most ${maxReadsPerSecond} signals per second.`, 1);
    }
    ofToken.add(now);
    reads.set(tokenId, ofToken);
  };
}
