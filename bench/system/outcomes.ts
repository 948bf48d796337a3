import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../load/receiver.ts';
import { flagNames } from './flags.ts';
import { copyFirstOutcome } from './outcomes.repo.ts';
import type { Yardarm } from './yardarm.ts';

export interface OutcomePage {
  integrationEvents: { id: string }[];
}

/** A delivery takes milliseconds. */
const deliveryLimitMs = 30_000;

/** Makes an integration with `count` outcomes: one of a real delivery, the others are copies of its rows. */
export async function fillOutcomes(yardarm: Yardarm, count: number): Promise<void> {
  const { api, databaseUrl } = yardarm;
  const receiver = await startReceiver();
  try {
    const integration = await api.makeWebhook(receiver.url);
    await api.call('PATCH', `/api/admin/projects/default/features/${flagNames[0]}`, [
      { op: 'replace', path: '/description', value: 'a change to deliver' },
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

/** The id of the integration that fillOutcomes made, the only one. */
export async function filledIntegration({ api }: Yardarm): Promise<number> {
  const { addons } = await api.call<{ addons: { id: number }[] }>('GET', '/api/admin/addons');
  return addons[0]!.id;
}
