import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { maxSeenTokens, reportSeenTokens } from '@yardarm/shared/contracts/accounts';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { newTraceparent } from '@yardarm/shared/telemetry';

/**
 * When tokens were last used, on the way to accounts.
 *
 *   noted    -> in memory, the latest moment of each token. A use costs one entry of a map, and no request waits.
 *   sent     -> taken out of memory, in messages of at most maxSeenTokens; accounts keeps the latest moment of each.
 *   not sent -> noted again, unless the token was used later meanwhile.
 *
 * What is noted when the process is killed is lost; a drain sends it.
 */
export interface SeenTokens {
  /** The token was used now. */
  note(tokenId: number): void;
  /** Sends what is noted; what could not be sent is noted again. Never throws. */
  send(): Promise<void>;
  /** Stops the clock and sends the rest. */
  drain(): Promise<void>;
}

// People look at this value in minutes: ten seconds late is on time, and one message in ten seconds is nothing for accounts.
const sendEveryMs = 10_000;
// Accounts writes a batch in well under a second; whoever waits longer tries again with the next.
const timeoutMs = 5_000;
// Five times as many as the gateway remembers tokens: about ten megabytes while accounts is away. Beyond it further ones are left out.
const maxNoted = 100_000;

/** Notes uses of tokens and sends them every ten seconds. */
export function startSeenTokens(bus: Bus, log: Logger, clock: () => number = Date.now): SeenTokens {
  const noted = new Map<number, number>();
  let sending: Promise<void> | null = null;

  function keep(id: number, at: number): void {
    const before = noted.get(id);
    if (before === undefined ? noted.size < maxNoted : before < at) noted.set(id, at);
  }

  async function sendBatch(batch: [number, number][]): Promise<void> {
    for (const [id] of batch) noted.delete(id);
    const context = {
      requestId: randomUUID(),
      actor: null,
      deadline: Date.now() + timeoutMs,
      traceparent: newTraceparent(),
    };
    try {
      const seen = batch.map(([id, at]) => ({ id, at: new Date(at).toISOString() }));
      await bus.request(reportSeenTokens, { seen }, context);
    } catch (error) {
      for (const [id, at] of batch) keep(id, at);
      throw error;
    }
  }

  async function sendAll(): Promise<void> {
    try {
      const all = [...noted];
      for (let from = 0; from < all.length; from += maxSeenTokens)
        await sendBatch(all.slice(from, from + maxSeenTokens));
    } catch (error) {
      log.debug(
        { err: coerceError(error) },
        'when tokens were last used could not be told to accounts; it is told later',
      );
    }
  }

  /** One at a time; who asks during a sending waits for it and for one of its own. */
  async function send(): Promise<void> {
    while (sending !== null) await sending;
    sending = sendAll().finally(() => {
      sending = null;
    });
    await sending;
  }

  const timer = setInterval(() => {
    if (sending === null) void send();
  }, sendEveryMs);
  timer.unref();

  return {
    note: (tokenId) => keep(tokenId, clock()),
    send,
    async drain() {
      clearInterval(timer);
      await send();
    },
  };
}
