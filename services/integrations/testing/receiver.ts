import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, startReceiver as startPlainReceiver } from '@yardarm/testing';

export interface ReceivedCall extends ReceivedRequest {
  /** The event's id from webhook-id, for a webhook. */
  eventId: number;
}

export type Answer = (response: ServerResponse, call: ReceivedCall) => unknown;

export interface Receiver {
  url: string;
  calls: ReceivedCall[];
  answer: Answer;
  close(): void;
}

export async function startReceiver(answer: Answer): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const { url, close } = await startPlainReceiver((response, request) => {
    const eventId = Number(/_(\d+)$/.exec(String(request.headers['webhook-id']))?.[1]);
    const call = { ...request, eventId };
    calls.push(call);
    receiver.answer(response, call);
  });
  const receiver: Receiver = { url, calls, answer, close };
  return receiver;
}
