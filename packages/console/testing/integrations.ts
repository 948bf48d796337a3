import { administer, type ReceiverAnswer, startReceiver, type TestReceiver, type TestSystem } from '@yardarm/testing';
import { onTestFinished } from 'vitest';

/** Starts a receiver until the end of the test. */
export async function startEndpoint(answer?: ReceiverAnswer): Promise<TestReceiver> {
  const endpoint = await startReceiver(answer);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

/** Makes a webhook for new flags, unless `over` says otherwise, and returns its id. It is deleted after the test. */
export async function addWebhook(system: TestSystem, url: string, over: object = {}): Promise<number> {
  const body = { provider: 'webhook', enabled: true, parameters: { url }, events: ['feature-created'], ...over };
  const { id } = await administer(system, 'POST', '/api/admin/addons', body);
  onTestFinished(async () => {
    await system.call('DELETE', `/api/admin/addons/${id}`);
  });
  return id;
}

export async function addFlag(system: TestSystem, name: string, over: object = {}): Promise<void> {
  await administer(system, 'POST', '/api/admin/projects/default/features', { name, ...over });
}
