// A process of the service that kills itself with SIGKILL at a point of the relay's work, as a power cut would.
// argv: 'before-publish' (committed, not published) or 'after-publish' (published, not marked), and the number of the
// publish.
import { connectBus } from '@yardarm/shared/bus';
import { createLogger } from '@yardarm/shared/log';
import { loadFlagsConfig } from '../config.ts';
import { startFlags } from '../service.ts';

const [point, at] = process.argv.slice(2);
const config = loadFlagsConfig();
let published = 0;

await startFlags(config, createLogger({ service: 'flags', level: config.LOG_LEVEL }), {
  connectBus: async (options) => {
    const bus = await connectBus(options);
    const publish: typeof bus.publish = async (...args) => {
      published += 1;
      const isLast = published === Number(at);
      if (isLast && point === 'before-publish') process.kill(process.pid, 'SIGKILL');
      const result = await bus.publish(...args);
      if (isLast && point === 'after-publish') process.kill(process.pid, 'SIGKILL');
      return result;
    };
    return Object.assign(Object.create(bus), bus, { publish });
  },
});
process.stdout.write('started\n');
