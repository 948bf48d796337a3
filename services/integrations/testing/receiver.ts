import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
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
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    const eventId = Number(/_(\d+)$/.exec(String(headers['webhook-id']))?.[1]);
    const call = { path, headers, body: Buffer.concat(chunks).toString('utf8'), eventId };
    calls.push(call);
    receiver.answer(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}
