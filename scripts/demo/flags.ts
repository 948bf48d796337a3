import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startUnleash } from 'unleash-client';
import type { DemoOptions } from './options.ts';
import { callerOf, say, until } from './steps.ts';

interface EventSummary {
  id: number;
  type: string;
  createdBy: string;
}

interface Outcome {
  state: string;
  stateDetails: string;
  event: EventSummary & { featureName: string };
}

/**
 * Makes a flag, waits until the real SDK sees it on without a restart, finds the events by search, and prints the
 * webhook's outcome.
 */
export async function demoFlags({ url, adminToken, sdkToken }: DemoOptions): Promise<void> {
  const call = callerOf(url, adminToken);
  const flag = `demo-${Date.now().toString(36)}`;
  const features = '/api/admin/projects/default/features';

  const received: string[] = [];
  const receiver = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      received.push(text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;

  let addon: { id: number } | undefined;
  try {
    addon = await call<{ id: number }>('POST', '/api/admin/addons', {
      provider: 'webhook',
      enabled: true,
      description: 'npm run demo',
      parameters: { url: hook },
      events: ['feature-created', 'feature-environment-enabled'],
    });
    const outcomesOf = `/api/admin/addons/${addon.id}/events`;
    await call('POST', features, { name: flag, description: 'made by npm run demo' });
    say(`made the flag ${flag}`);

    const sdk = await startUnleash({
      url: `${url}/api/`,
      appName: 'yardarm-demo',
      refreshInterval: 200,
      skipInstanceCountWarning: true,
      customHeaders: { Authorization: sdkToken },
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
      const listed = await call<{ integrationEvents: Outcome[] }>('GET', outcomesOf);
      const ours = listed.integrationEvents.filter(({ event }) => event.featureName === flag);
      return ours.length === 2 ? ours : null;
    });
    for (const { event, state, stateDetails } of outcomes)
      say(`webhook for event ${event.id}: ${state}. ${stateDetails}`);
    checkOutcomes(outcomes, received);
  } finally {
    // Archives the flag and deletes the integration with its deliveries. A failure here does not hide one above.
    if (addon) await call('DELETE', `/api/admin/addons/${addon.id}`).catch(() => undefined);
    await call('PATCH', `${features}/${flag}`, [{ op: 'replace', path: '/archived', value: true }]).catch(
      () => undefined,
    );
    receiver.closeAllConnections();
    receiver.close();
  }
  say('all of it happened');
}

/**
 * The receiver listens on loopback, which webhooks may reach only if the operator allows it. Either both events arrived
 * and both outcomes say so, or none arrived and both outcomes say that the address is refused. Anything else is a
 * fault.
 */
function checkOutcomes(outcomes: readonly Outcome[], received: readonly string[]): void {
  if (outcomes.every(({ state }) => state === 'success') && received.length >= outcomes.length) return;
  const isRefused = outcomes.every(
    ({ state, stateDetails }) => state === 'failed' && /INTEGRATIONS_ALLOWED_PRIVATE/.test(stateDetails),
  );
  if (!isRefused || received.length > 0) throw new Error('the outcomes differ from what the receiver got');
  say('the guard keeps webhooks from loopback: start with INTEGRATIONS_ALLOWED_PRIVATE=127.0.0.1 to see them arrive');
}
