// A process of the service that kills itself with SIGKILL at a point of its work, as a power cut would.
// argv: 'before-publish' (committed, not published) or 'after-publish' (published, not marked), and the number of the
// publish; or 'before-report' (received, not stored) or 'after-report' (stored, not answered), and the number of the
// report of usage; or the same with 'step' for a step of an action; any other text for never.
import { connectBus } from '@yardarm/shared/bus';
import { executeStep, reportUsage } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { loadFlagsConfig } from '../config.ts';
import { startFlags } from '../service.ts';

const [point, at] = process.argv.slice(2);
const config = loadFlagsConfig();
let published = 0;
let received = 0;
const counted: Record<string, string> = { [reportUsage.name]: 'report', [executeStep.name]: 'step' };

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
        const what = counted[contract.name];
        const isCounted = what !== undefined && point?.endsWith(`-${what}`) === true;
        if (isCounted) received += 1;
        const isLast = isCounted && received === Number(at);
        if (isLast && point === `before-${what}`) process.kill(process.pid, 'SIGKILL');
        const answer = handler(input, context);
        if (isLast && point === `after-${what}`)
          void Promise.resolve(answer).then(() => process.kill(process.pid, 'SIGKILL'));
        return answer;
      });
    return Object.assign(Object.create(bus), bus, { publish, serve });
  },
});
process.stdout.write('started\n');
