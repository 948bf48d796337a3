import type { BusMessage } from '@yardarm/shared/bus';
import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { type Database, firstTime } from '@yardarm/shared/db';
import { z } from 'zod';
import type { FlagsTables } from '../../db/schema.ts';
import { deleteFavorites, upsertUser } from './users.repo.ts';

/** The name of the durable, and of the consumer in the inbox. */
export const usersConsumer = 'flags-users';

type EventTypes = readonly PublishedEvent['type'][];

const naming: EventTypes = ['user-created', 'user-updated', 'service-account-created', 'service-account-updated'];
const deletions: EventTypes = ['user-deleted', 'service-account-deleted'];

const accountSchema = z.object({
  id: z.number().int(),
  name: z.string().nullish(),
  username: z.string().nullish(),
  email: z.string().nullish(),
});

/**
 * Copies names from the events of accounts, and deletes the favorites of deleted users, whose names stay for what they
 * did. The bus makes a dead letter of a message that is not an event.
 */
export async function handleAccountEvent(db: Database<FlagsTables>, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  const isDeletion = deletions.includes(event.type);
  if (!isDeletion && !naming.includes(event.type)) return;
  const { id, name, username, email } = accountSchema.parse(isDeletion ? event.preData : event.data);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, usersConsumer, event.eventId))) return;
    if (isDeletion) {
      await deleteFavorites(trx, id);
      return;
    }
    await upsertUser(trx, {
      id,
      name: name || null,
      username: username || null,
      email: email || null,
      changedAt: new Date(event.createdAt),
    });
  });
}
