import { type ReceivedRequest, startReceiver } from '@yardarm/testing';
import type { Arrival } from './history.ts';

export interface WebhookReceiver {
  url: string;
  arrivals: Arrival[];
  close(): Promise<void>;
}

/** Starts the receiver. It answers 503 when `refuses` returns true, else 200. */
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
