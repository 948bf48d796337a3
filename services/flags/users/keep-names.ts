import type { BusMessage } from '@yardarm/shared/bus';
import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { type Database, firstTime } from '@yardarm/shared/db';
import { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';
import { upsertUser } from './users.repo.ts';

/** The name of the durable, and of the consumer in the inbox. */
export const usersConsumer = 'flags-users';

const types: readonly PublishedEvent['type'][] = [
  'user-created',
  'user-updated',
  'service-account-created',
  'service-account-updated',
];

const accountSchema = z.object({
  id: z.number().int(),
  name: z.string().nullish(),
  username: z.string().nullish(),
  email: z.string().nullish(),
});

/** Copies names from the events of accounts. The bus makes a dead letter of a message that is not an event. */
export async function handleAccountEvent(db: Database<FlagsTables>, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  if (!types.includes(event.type)) return;
  const { id, name, username, email } = accountSchema.parse(event.data);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, usersConsumer, event.eventId))) return;
    await upsertUser(trx, {
      id,
      name: name || null,
      username: username || null,
      email: email || null,
      changedAt: new Date(event.createdAt),
    });
  });
}
