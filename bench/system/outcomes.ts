import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../load/receiver.ts';
import { flagNames } from './flags.ts';
import { copyFirstOutcome } from './outcomes.repo.ts';
import type { Yardarm } from './yardarm.ts';

/** The page of a delivered webhook's outcomes. */
export interface OutcomePage {
  integrationEvents: { id: string }[];
}

/** A delivery is milliseconds. */
const deliveryLimitMs = 30_000;

/** One integration with `count` outcomes: the first is a delivery's, the others are copies of its rows. */
export async function fillOutcomes(yardarm: Yardarm, count: number): Promise<void> {
  const { api, databaseUrl } = yardarm;
  const receiver = await startReceiver();
  try {
    const integration = await api.makeWebhook(receiver.url);
    await api.call('PATCH', `/api/admin/projects/default/features/${flagNames[0]}`, [
      { op: 'replace', path: '/description', value: 'a change to be told' },
    ]);
    const until = Date.now() + deliveryLimitMs;
    const page = () => api.call<OutcomePage>('GET', `/api/admin/addons/${integration}/events`);
    while ((await page()).integrationEvents.length === 0) {
      if (Date.now() > until) throw new Error('the webhook has no outcome');
      await sleep(50);
    }
    await copyFirstOutcome(databaseUrl, integration, count - 1);
  } finally {
    await receiver.stop();
  }
}

/** The integration that fillOutcomes made: the only one there. */
export async function filledIntegration({ api }: Yardarm): Promise<number> {
  const { addons } = await api.call<{ addons: { id: number }[] }>('GET', '/api/admin/addons');
  return addons[0]!.id;
}
