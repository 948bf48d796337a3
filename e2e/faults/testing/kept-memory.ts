// Loaded before a service's main file (`node --import`). It answers the question of the parent process for the memory
// that the process keeps: after a full collection, without the part of the heap that V8 holds free.
import { collectGarbage } from '@yardarm/testing/garbage';

process.on('message', (message) => {
  if (typeof message !== 'object') return;
  collectGarbage();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  process.send?.({ keptBytes: rss - heapTotal + heapUsed });
});
// The listener must not keep the process alive.
process.channel?.unref();
