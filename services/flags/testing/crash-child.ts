// A process of the service that kills itself with SIGKILL at a point of its work, as a power cut would.
// argv: 'before-publish' (committed, not published) or 'after-publish' (published, not marked), and the number of the
// publish; or 'before-report' (received, not stored) or 'after-report' (stored, not answered), and the number of the
// report of usage; any other text for never.
import { connectBus } from '@yardarm/shared/bus';
import { reportUsage } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { loadFlagsConfig } from '../config.ts';
import { startFlags } from '../service.ts';

const [point, at] = process.argv.slice(2);
const config = loadFlagsConfig();
let published = 0;
let reported = 0;

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
    const serve: typeof bus.serve = (contract, handler) =>
      bus.serve(contract, (input, context) => {
        const isReport = contract.name === reportUsage.name;
        if (isReport) reported += 1;
        const isLast = isReport && reported === Number(at);
        if (isLast && point === 'before-report') process.kill(process.pid, 'SIGKILL');
        const answer = handler(input, context);
        if (isLast && point === 'after-report')
          void Promise.resolve(answer).then(() => process.kill(process.pid, 'SIGKILL'));
        return answer;
      });
    return Object.assign(Object.create(bus), bus, { publish, serve });
  },
});
process.stdout.write('started\n');
