// A process with a relay, for tests that kill or pause it. Its only argument is a Task as JSON.
//
// Writes "appended" to stdout when it has appended its events, "leading" when it publishes for the first time, and the
// log of its relay.

import { type Bus, connectBus } from '../../bus/index.ts';
import { createLogger } from '../../log/index.ts';
import { createDatabase, type RelayBus, startRelay } from '../index.ts';
import { appendAlone } from './events.ts';
import { silent } from './test-schemas.ts';

export interface Task {
  databaseUrl: string;
  natsUrl: string;
  prefix: string;
  /** How many events it appends, over three keys, before it starts the relay. */
  appends: number;
  /** Kills itself at its nth publish: before the message is sent, or after it is acknowledged. */
  dies?: { when: 'before' | 'after'; nth: number };
}

const task = JSON.parse(process.argv[2]!) as Task;
const db = createDatabase({ url: task.databaseUrl, schema: 'flags', log: silent });
const bus = await connectBus({ url: task.natsUrl, name: 'relay-process', prefix: task.prefix, log: silent });

for (let n = 0; n < task.appends; n++) await appendAlone(db, `key ${n % 3}`, n);
process.stdout.write('appended\n');
const log = createLogger({ service: 'flags', level: 'info', destination: process.stdout });
startRelay({ db, bus: task.dies ? dying(bus, task.dies) : reporting(bus), log });

function reporting(inner: Bus): RelayBus {
  let hasReported = false;
  return {
    ...inner,
    publish(...args) {
      if (!hasReported) process.stdout.write('leading\n');
      hasReported = true;
      return inner.publish(...args);
    },
  };
}

function dying(inner: Bus, { when, nth }: NonNullable<Task['dies']>): RelayBus {
  let count = 0;
  return {
    ...inner,
    async publish(...args) {
      count += 1;
      const isLast = count === nth;
      if (isLast && when === 'before') process.kill(process.pid, 'SIGKILL');
      const acknowledged = await inner.publish(...args);
      if (isLast) process.kill(process.pid, 'SIGKILL');
      return acknowledged;
    },
  };
}
