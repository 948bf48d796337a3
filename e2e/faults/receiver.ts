import { type ReceivedRequest, startReceiver } from '@yardarm/testing';
import type { Arrival } from './history.ts';

export interface WebhookReceiver {
  url: string;
  arrivals: Arrival[];
  close(): Promise<void>;
}

/** Refuses this share of the webhooks when they first arrive, so that faults also hit retries. */
export function refusing(share: number, random: () => number): (arrival: Omit<Arrival, 'status'>) => boolean {
  const seen = new Set<string>();
  return ({ webhookId }) => {
    const isFirst = !seen.has(webhookId);
    seen.add(webhookId);
    return isFirst && random() < share;
  };
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
