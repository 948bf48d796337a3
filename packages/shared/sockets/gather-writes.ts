import type { Socket } from 'node:net';

/**
 * Sends what is written in one turn of the event loop by one call of the system, when the turn ends. A write on its own wakes whoever
 * reads, the costliest thing about a small message. The end of the turn is microseconds away; nothing waits for a timer.
 */
export function gatherWrites(socket: Socket): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isGathering = false;
  Object.assign(socket, {
    write(...args: unknown[]) {
      if (!isGathering) {
        isGathering = true;
        socket.cork();
        setImmediate(() => {
          isGathering = false;
          socket.uncork();
        });
      }
      return write(...args);
    },
  });
}
