import type { BusMessage } from '@yardarm/shared/bus';
import { type PublishedEvent, publishedEventSchema } from '@yardarm/shared/contracts/events';
import { type Database, firstTime } from '@yardarm/shared/db';
import { z } from 'zod';
import type { FlagsTables } from '../db/schema.ts';
import { keepNames } from './users.repo.ts';

/** The durable's name, and that of the consumer in the inbox. */
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

/** Keeps the names of those who change flags, from the accounts' events. A message that is no such event is set aside by the bus. */
export async function handleAccountEvent(db: Database<FlagsTables>, message: BusMessage): Promise<void> {
  const event = publishedEventSchema.parse(message.payload);
  if (!types.includes(event.type)) return;
  const { id, name, username, email } = accountSchema.parse(event.data);
  await db.transaction(async (trx) => {
    if (!(await firstTime(trx, usersConsumer, event.eventId))) return;
    await keepNames(trx, {
      id,
      name: name || null,
      username: username || null,
      email: email || null,
      toldAt: new Date(event.createdAt),
    });
  });
}
