import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { readHead, recordedHint } from '@yardarm/shared/contracts/events';

/** The last id of the log, for all streams of this process. */
export interface LogHead {
  /** True as soon as the log has grown beyond the id; false after `timeoutMs` or when the signal is aborted. */
  waitBeyond(id: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
}

/** The poll makes up for lost hints. It runs only while a stream waits: one small request a second for all streams. */
const pollMs = 1_000;

export function createLogHead(bus: Bus): LogHead {
  const waiters = new Set<{ id: number; wake: () => void }>();
  let head = 0;
  let polling: NodeJS.Timeout | null = null;

  function raise(id: number): void {
    head = Math.max(head, id);
    for (const waiter of waiters) if (waiter.id < head) waiter.wake();
  }

  function poll(): void {
    // An error changes nothing: the next poll tries again.
    const context = { requestId: randomUUID(), actor: null, deadline: Date.now() + pollMs, traceparent: null };
    bus.request(readHead, {}, context).then(
      ({ id }) => raise(id),
      () => undefined,
    );
  }

  bus.onHint(recordedHint, ({ id }) => raise(id));

  return {
    waitBeyond(id, timeoutMs, signal) {
      if (head > id || signal.aborted) return Promise.resolve(head > id);
      polling ??= setInterval(poll, pollMs);
      return new Promise((resolve) => {
        const waiter = { id, wake };
        const timer = setTimeout(wake, timeoutMs);
        waiters.add(waiter);
        signal.addEventListener('abort', wake);
        function wake(): void {
          clearTimeout(timer);
          waiters.delete(waiter);
          signal.removeEventListener('abort', wake);
          if (waiters.size === 0 && polling !== null) {
            clearInterval(polling);
            polling = null;
          }
          resolve(head > id);
        }
      });
    },
  };
}
