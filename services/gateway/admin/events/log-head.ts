import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { readHead, recordedHint } from '@yardarm/shared/contracts/events';

/** The last id of the log, in an epoch of the database. */
export interface Head {
  id: number;
  epoch: string | null;
}

/** The end of the log, for all streams of this process. */
export interface LogHead {
  /**
   * Resolves as soon as the log has grown beyond the id, the database has been restored since the epoch, or the signal
   * is aborted.
   */
  waitBeyond(position: Head, signal: AbortSignal): Promise<void>;
  /** A read found that the log ends here. */
  found(head: Head): void;
}

/** The poll makes up for lost hints. It runs only while a stream waits: one small request a second for all streams. */
const pollMs = 1_000;

export function createLogHead(bus: Bus): LogHead {
  const waiters = new Set<{ position: Head; wake: () => void }>();
  let head: Head | null = null;
  let isAsking = false;
  let polling: NodeJS.Timeout | null = null;

  const isBeyond = ({ id, epoch }: Head) => head !== null && (head.id > id || head.epoch !== epoch);

  function set(found: Head): void {
    head = found;
    for (const { position, wake } of waiters) if (isBeyond(position)) wake();
  }

  function raise({ id, epoch }: Head): void {
    if (head === null || epoch !== head.epoch || id > head.id) set({ id, epoch });
  }

  function poll(): void {
    if (isAsking) return;
    isAsking = true;
    const context = { requestId: randomUUID(), actor: null, deadline: Date.now() + pollMs, traceparent: null };
    bus
      .request(readHead, {}, context)
      .then(raise)
      // An error changes nothing: the next poll tries again.
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }

  // A hint has no epoch. Of a restored log it may wake readers early, and their reads find the epoch.
  bus.onHint(recordedHint, ({ id }) => {
    if (head !== null) raise({ id, epoch: head.epoch });
  });

  return {
    found: raise,
    async waitBeyond(position, signal) {
      if (isBeyond(position) || signal.aborted) return;
      polling ??= setInterval(poll, pollMs);
      await new Promise<void>((resolve) => {
        const waiter = { position, wake };
        waiters.add(waiter);
        signal.addEventListener('abort', wake);
        function wake(): void {
          waiters.delete(waiter);
          signal.removeEventListener('abort', wake);
          if (waiters.size === 0 && polling !== null) {
            clearInterval(polling);
            polling = null;
          }
          resolve();
        }
      });
    },
  };
}
