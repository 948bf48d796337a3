import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { readHead, recordedHint } from '@yardarm/shared/contracts/events';

/** The last id of the log, for all streams of this process. */
export interface LogHead {
  /**
   * True as soon as the log has grown beyond the id, or ends before it after a restore of the database; false after
   * `timeoutMs` or when the signal is aborted.
   */
  waitBeyond(id: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
  /** A read found that the log ends here. After a restore of the database it is lower than the known head. */
  found(id: number): void;
}

/** The poll makes up for lost hints. It runs only while a stream waits: one small request a second for all streams. */
const pollMs = 1_000;

export function createLogHead(bus: Bus): LogHead {
  const waiters = new Set<{ id: number; wake: (isRestored?: boolean) => void }>();
  let head = 0;
  let isAsking = false;
  let polling: NodeJS.Timeout | null = null;

  function raise(id: number): void {
    head = Math.max(head, id);
    for (const waiter of waiters) if (waiter.id < head) waiter.wake();
  }

  function poll(): void {
    if (isAsking) return;
    isAsking = true;
    const before = head;
    const context = { requestId: randomUUID(), actor: null, deadline: Date.now() + pollMs, traceparent: null };
    bus
      .request(readHead, {}, context)
      .then(({ id }) => {
        // Lower than a head that was known before the request: the database was restored.
        if (head === before && id < head) {
          head = id;
          for (const waiter of waiters) if (waiter.id > head) waiter.wake(true);
        }
        raise(id);
      })
      // An error changes nothing: the next poll tries again.
      .catch(() => undefined)
      .finally(() => {
        isAsking = false;
      });
  }

  bus.onHint(recordedHint, ({ id }) => raise(id));

  return {
    found(id) {
      if (id < head) poll();
      else raise(id);
    },
    waitBeyond(id, timeoutMs, signal) {
      if (head > id || signal.aborted) return Promise.resolve(head > id);
      polling ??= setInterval(poll, pollMs);
      return new Promise((resolve) => {
        const waiter = { id, wake };
        const onEnd = () => wake();
        const timer = setTimeout(onEnd, timeoutMs);
        waiters.add(waiter);
        signal.addEventListener('abort', onEnd);
        function wake(isRestored = false): void {
          clearTimeout(timer);
          waiters.delete(waiter);
          signal.removeEventListener('abort', onEnd);
          if (waiters.size === 0 && polling !== null) {
            clearInterval(polling);
            polling = null;
          }
          resolve(head > id || isRestored);
        }
      });
    },
  };
}
