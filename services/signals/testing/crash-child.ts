// A process of the service that kills itself with SIGKILL at a point of its work, as a power cut would.
// argv: the point, and how many times it is passed before.
//
//   stored   A consumer has stored a batch and not acknowledged it.
//   read     A reader has got messages and not taken them.
//   taken    Signals are taken; no step was called.
//   started  A step is started and not called.
//   called   A step was answered, and its outcome is not stored.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { executeStep } from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { loadSignalsConfig } from '../config.ts';
import { startSignals } from '../service.ts';

const [point, times] = process.argv.slice(2);
const config = loadSignalsConfig();
let passed = 0;

function pass(here: string): void {
  if (here !== point) return;
  if (passed === Number(times)) process.kill(process.pid, 'SIGKILL');
  passed += 1;
}

await startSignals(config, createLogger({ service: 'signals', level: config.LOG_LEVEL }), {
  connectBus: async (options) => {
    const bus = await connectBus(options);
    const consumeBatches: Bus['consumeBatches'] = (consumer, handler) =>
      bus.consumeBatches(consumer, async (messages) => {
        await handler(messages);
        pass('stored');
      });
    const read: Bus['read'] = (reader, handler) =>
      bus.read(reader, async (batch) => {
        pass('read');
        await handler(batch);
        pass('taken');
      });
    const request: Bus['request'] = async (contract, input, context) => {
      const isStep = contract.name === executeStep.name;
      if (isStep) pass('started');
      const answer = await bus.request(contract, input, context);
      if (isStep) pass('called');
      return answer;
    };
    return { ...bus, consumeBatches, read, request };
  },
});
process.stdout.write('started\n');
