// Runs the events service as a process that kills itself before it publishes the event with the id DIE_AT: after the
// commit in the log and before RECORDED. Earlier events are published.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { runService } from '@yardarm/shared/service';
import { loadEventsConfig } from '../config.ts';
import { startEvents } from '../service.ts';
import { dieAt } from './config.ts';

async function connectDeadlyBus(options: Parameters<typeof connectBus>[0]): Promise<Bus> {
  const bus = await connectBus(options);
  return new Proxy(bus, {
    get(target, property) {
      if (property !== 'publish') return Reflect.get(target, property, target);
      const publish: Bus['publish'] = (subject, payload, publishOptions) => {
        if ((payload as { id?: number }).id === dieAt()) process.kill(process.pid, 'SIGKILL');
        return target.publish(subject, payload, publishOptions);
      };
      return publish;
    },
  });
}

await runService('events', loadEventsConfig, (config, log) =>
  startEvents(config, log, { connectBus: connectDeadlyBus }),
);
