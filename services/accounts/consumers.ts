import type { Bus, Consumption } from '@yardarm/shared/bus';
import {
  createdConsumer,
  deletedConsumer,
  handleProjectCreated,
  handleProjectDeleted,
} from './projects/follow-projects.ts';
import type { AccountsResources } from './resources.ts';

/**
 * Two durables, so that accounts receives no other event of flags. Consumption begins when JetStream answers; requests
 * do not need it.
 */
export async function consumeProjects(
  bus: Bus,
  resources: Pick<AccountsResources, 'bus' | 'db'>,
): Promise<Consumption[]> {
  return [
    await bus.consume({ stream: 'EVENTS', durable: createdConsumer, filter: 'evt.flags.project-created' }, (message) =>
      handleProjectCreated(resources, message),
    ),
    await bus.consume({ stream: 'EVENTS', durable: deletedConsumer, filter: 'evt.flags.project-deleted' }, (message) =>
      handleProjectDeleted(resources, message),
    ),
  ];
}
