import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemStorageProvider, startUnleash } from 'unleash-client';
import type { DemoOptions } from './options.ts';
import { creationProblem, type Outcome, webhookProblem } from './outcomes.ts';
import { callerOf, say, until } from './steps.ts';

interface EventSummary {
  id: number;
  type: string;
  createdBy: string;
}

interface EventOutcome extends Outcome {
  event: EventSummary & { featureName: string };
}

/**
 * Makes a flag, waits until the real SDK sees it on without a restart, finds the events by search, and prints the
 * webhook's outcome.
 */
export async function demoFlags({ url, adminToken, sdkToken, receiverHost }: DemoOptions): Promise<void> {
  const call = callerOf(url, adminToken.text);
  const flag = `demo-${Date.now().toString(36)}`;
  const features = '/api/admin/projects/default/features';

  let receivedCount = 0;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      receivedCount += 1;
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, receiverHost, resolve));
  const hook = `http://${receiverHost}:${(receiver.address() as AddressInfo).port}/`;

  let addon: { id: number } | undefined;
  try {
    addon = await call<{ id: number }>('POST', '/api/admin/addons', {
      provider: 'webhook',
      enabled: true,
      description: 'npm run demo',
      parameters: { url: hook },
      events: ['feature-created', 'feature-environment-enabled'],
    }).catch((error: Error) => {
      throw new Error(creationProblem(error.message, receiverHost), { cause: error });
    });
    const outcomesOf = `/api/admin/addons/${addon.id}/events`;
    await call('POST', features, { name: flag, description: 'made by npm run demo' });
    say(`made the flag ${flag}`);

    const sdk = await startUnleash({
      url: `${url}/api/`,
      appName: 'yardarm-demo',
      refreshInterval: 200,
      skipInstanceCountWarning: true,
      // Its default is a file in the temporary folder, which another user of this machine may own.
      storageProvider: new InMemStorageProvider(),
      customHeaders: { Authorization: sdkToken.text },
    });
    try {
      if (sdk.isEnabled(flag)) throw new Error('the SDK sees the flag on before it was switched on');
      say('the SDK sees it off');
      const switchedAt = Date.now();
      await call('POST', `${features}/${flag}/environments/development/on`);
      await until('the SDK sees the flag on', () => sdk.isEnabled(flag));
      say(`the SDK sees it on, ${Date.now() - switchedAt} ms after the switch, polling every 200 ms`);
    } finally {
      sdk.destroy();
    }

    const events = await until('search finds the events', async () => {
      const found = await call<{ events: EventSummary[] }>('POST', '/api/admin/events/search', { feature: flag });
      return found.events.some(({ type }) => type === 'feature-environment-enabled') ? found.events : null;
    });
    for (const { id, type, createdBy } of events) say(`event ${id}: ${type} by ${createdBy}`);

    const outcomes = await until('the webhook has an outcome for both events', async () => {
      const listed = await call<{ integrationEvents: EventOutcome[] }>('GET', outcomesOf);
      const ours = listed.integrationEvents.filter(({ event }) => event.featureName === flag);
      return ours.length === 2 ? ours : null;
    });
    for (const { event, state, stateDetails } of outcomes)
      say(`webhook for event ${event.id}: ${state}. ${stateDetails}`);
    const problem = webhookProblem(outcomes, receivedCount);
    if (problem !== undefined) throw new Error(problem);
  } finally {
    // Deletes the flag, and the integration with its deliveries. A failure here does not hide one above.
    const undo = (...args: Parameters<typeof call>) => call(...args).catch(() => undefined);
    if (addon) await undo('DELETE', `/api/admin/addons/${addon.id}`);
    await undo('PATCH', `${features}/${flag}`, [{ op: 'replace', path: '/archived', value: true }]);
    await undo('DELETE', `/api/admin/archive/${flag}`);
    receiver.closeAllConnections();
    receiver.close();
  }
  say('all of it happened');
}
