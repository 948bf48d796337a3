import type { Bus } from '@yardarm/shared/bus';
import { maxSeenTokens, reportSeenTokens } from '@yardarm/shared/contracts/accounts';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { startPeriodicSender } from '../periodic-sender.ts';
import { systemContext } from '../system-context.ts';

/**
 * Reports to accounts when tokens were last used. States of a use:
 *
 *   recorded -> In memory, the latest time of each token. A use costs one entry of a map, and no request waits.
 *   sent     -> Removed from memory, in messages of at most maxSeenTokens. Accounts stores the latest time of each.
 *   not sent -> Recorded again, unless the token was used later meanwhile.
 *
 * A drain sends the recorded uses. A killed process loses them.
 */
export interface SeenTokens {
  record(tokenId: number): void;
  /** Sends the recorded uses and records those again that could not be sent. Never throws. */
  send(): Promise<void>;
  /** Stops the timer and sends the rest. */
  drain(): Promise<void>;
}

// People need this value to the minute. One message in ten seconds costs accounts nothing.
const sendEveryMs = 10_000;
// Accounts writes a batch in well under a second. A batch that takes longer is sent again. A stop may wait for two.
const timeoutMs = 3_000;
// Five times the token cache: about ten megabytes while accounts is unavailable. Further tokens are not recorded.
const maxRecorded = 100_000;

export function startSeenTokens(bus: Bus, log: Logger, clock: () => number = Date.now): SeenTokens {
  const recorded = new Map<number, number>();

  function recordAt(id: number, at: number): void {
    const latest = recorded.get(id);
    if (latest === undefined ? recorded.size < maxRecorded : latest < at) recorded.set(id, at);
  }

  async function sendBatch(batch: [number, number][]): Promise<void> {
    for (const [id] of batch) recorded.delete(id);
    try {
      const seen = batch.map(([id, at]) => ({ id, at: new Date(at).toISOString() }));
      await bus.request(reportSeenTokens, { seen }, systemContext(timeoutMs));
    } catch (error) {
      for (const [id, at] of batch) recordAt(id, at);
      throw error;
    }
  }

  async function sendAll(): Promise<void> {
    try {
      const all = [...recorded];
      for (let from = 0; from < all.length; from += maxSeenTokens)
        await sendBatch(all.slice(from, from + maxSeenTokens));
    } catch (error) {
      log.debug(
        { err: coerceError(error) },
        'the last uses of tokens could not be sent to accounts; they are sent again later',
      );
    }
  }

  const sender = startPeriodicSender(sendAll, sendEveryMs);

  return {
    record: (tokenId) => recordAt(tokenId, clock()),
    send: sender.send,
    async drain() {
      sender.stop();
      await sender.send();
    },
  };
}
