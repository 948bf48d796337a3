import { randomUUID } from 'node:crypto';
import type { Bus } from '@yardarm/shared/bus';
import { readHead, recordedHint } from '@yardarm/shared/contracts/events';

/** Knows how far the log has grown, for everybody in this process who waits for more of it. */
export interface LogHead {
  /** Whether the log has grown beyond the id: true as soon as it has, false after so many milliseconds or when the signal is aborted. */
  beyond(id: number, ms: number, signal: AbortSignal): Promise<boolean>;
}

/** The truth behind the hints, asked only while somebody waits: one small request a second, for however many streams. */
const pollMs = 1_000;

/** Makes the knowledge of the log's head: told by hints, asked behind them. */
export function createLogHead(bus: Bus): LogHead {
  const waiting = new Set<{ id: number; wake: () => void }>();
  let head = 0;
  let polling: NodeJS.Timeout | null = null;

  function raise(id: number): void {
    head = Math.max(head, id);
    for (const waiter of waiting) if (waiter.id < head) waiter.wake();
  }

  function poll(): void {
    // While the log does not answer nobody is told of more of it.
    const context = { requestId: randomUUID(), actor: null, deadline: Date.now() + pollMs, traceparent: null };
    bus.request(readHead, {}, context).then(
      ({ id }) => raise(id),
      () => undefined,
    );
  }

  bus.onHint(recordedHint, ({ id }) => raise(id));

  return {
    beyond(id, ms, signal) {
      if (head > id || signal.aborted) return Promise.resolve(head > id);
      polling ??= setInterval(poll, pollMs);
      return new Promise((resolve) => {
        const waiter = { id, wake };
        const timer = setTimeout(wake, ms);
        waiting.add(waiter);
        signal.addEventListener('abort', wake);
        function wake(): void {
          clearTimeout(timer);
          waiting.delete(waiter);
          signal.removeEventListener('abort', wake);
          if (waiting.size === 0 && polling !== null) {
            clearInterval(polling);
            polling = null;
          }
          resolve(head > id);
        }
      });
    },
  };
}
