import { administer, type TestSystem } from '@yardarm/testing';

/** Makes a signal endpoint with a token. */
export async function addEndpoint(
  system: TestSystem,
  name: string,
): Promise<{ endpoint: { id: number }; token: string }> {
  const endpoint = await administer(system, 'POST', '/api/admin/signal-endpoints', { name, ratePerSecond: 100 });
  const path = `/api/admin/signal-endpoints/${endpoint.id}/tokens`;
  const { token } = await administer(system, 'POST', path, { name: 'sender' });
  return { endpoint, token };
}

/** Sends a signal as a sender does, with the token in its header. Returns the status of the answer. */
export async function sendSignal(
  system: TestSystem,
  token: string,
  endpoint: string,
  payload: unknown,
): Promise<number> {
  const { status } = await fetch(`${system.url}/api/signal-endpoint/${endpoint}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  });
  return status;
}
