import type { Bus, Consumption } from '@yardarm/shared/bus';
import { inOwnEpoch } from '@yardarm/shared/db';
import {
  createdConsumer,
  deletedConsumer,
  environmentDeletedConsumer,
  handleEnvironmentDeleted,
  handleProjectCreated,
  handleProjectDeleted,
} from './incarnations/follow-flags.ts';
import type { AccountsResources } from './resources.ts';

/**
 * A durable per type, so that accounts receives no other event of flags. Consumption begins when JetStream answers;
 * requests do not need it.
 */
export async function consumeFlags(bus: Bus, resources: Pick<AccountsResources, 'bus' | 'db'>): Promise<Consumption[]> {
  const consume = (durable: string, type: string, handle: typeof handleProjectCreated) =>
    bus.consume(
      { stream: 'EVENTS', durable, filter: `evt.flags.${type}` },
      inOwnEpoch(resources.db, (message) => handle(resources, message)),
    );
  return [
    await consume(createdConsumer, 'project-created', handleProjectCreated),
    await consume(deletedConsumer, 'project-deleted', handleProjectDeleted),
    await consume(environmentDeletedConsumer, 'environment-deleted', handleEnvironmentDeleted),
  ];
}
