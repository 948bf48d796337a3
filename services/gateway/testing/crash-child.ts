// A process of the gateway that kills itself with SIGKILL at a point of a signal's way, as a power cut would. It writes
// its port when it listens. argv: the point.
//
//   admitted   It has an admission, and has not claimed the key or published.
//   claimed    It has claimed the key with its admission, and has not published.
//   published  The signal is stored in the stream, and its acknowledgement has not arrived.
//   confirmed  The acknowledgement has arrived, and the sender is not answered.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { claimKey, takeAdmissions } from '@yardarm/shared/contracts/signals';
import { createLogger } from '@yardarm/shared/log';
import { loadGatewayConfig } from '../config.ts';
import { startGateway } from '../service.ts';

const [point] = process.argv.slice(2);
const config = loadGatewayConfig();

function pass(here: string): void {
  if (here === point) process.kill(process.pid, 'SIGKILL');
}

const gateway = await startGateway(config, createLogger({ service: 'gateway', level: config.LOG_LEVEL }), {
  connectBus: async (options) => {
    const bus = await connectBus(options);
    const request: Bus['request'] = async (contract, input, context) => {
      const answer = await bus.request(contract, input, context);
      if (contract.name === takeAdmissions.name) pass('admitted');
      if (contract.name === claimKey.name) pass('claimed');
      return answer;
    };
    const publish: Bus['publish'] = async (...message) => {
      const acknowledged = bus.publish(...message);
      if (point === 'published') {
        // The server has the message when it has answered what was sent after it.
        await bus.flush();
        pass('published');
      }
      const result = await acknowledged;
      pass('confirmed');
      return result;
    };
    return { ...bus, request, publish };
  },
});
process.stdout.write(`${gateway.port}\n`);
