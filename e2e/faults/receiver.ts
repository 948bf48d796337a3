import { type ReceivedRequest, startReceiver } from '@yardarm/testing';
import type { Arrival } from './history.ts';

/** The endpoints of all webhooks of a run: each is a path. */
export interface WebhookReceiver {
  url: string;
  /** What came, in its order. */
  arrivals: Arrival[];
  close(): Promise<void>;
}

/** Starts it. `refuses` says which arrivals are answered 503; all others 200. */
export async function startWebhookReceiver(
  refuses: (arrival: Omit<Arrival, 'status'>) => boolean = () => false,
): Promise<WebhookReceiver> {
  const receiver = await startReceiver();
  const arrivals: Arrival[] = [];
  receiver.answerWith(({ path, headers, body }: ReceivedRequest) => {
    const arrival = { path, webhookId: String(headers['webhook-id'] ?? ''), event: JSON.parse(body) };
    const status = refuses(arrival) ? 503 : 200;
    arrivals.push({ ...arrival, status });
    return status;
  });
  return { url: receiver.url, arrivals, close: () => receiver.close() };
}
