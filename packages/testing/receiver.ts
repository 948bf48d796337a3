import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type ReceiverAnswer = (response: ServerResponse, request: ReceivedRequest) => unknown;

export interface TestReceiver {
  url: string;
  received: ReceivedRequest[];
  /** Sets the status of later answers; a function decides per request. */
  answerWith(status: number | ((request: ReceivedRequest) => number)): void;
  close(): Promise<void>;
}

/** Starts a receiver on a free loopback port. Without `answer` it answers 200. */
export async function startReceiver(answer: ReceiverAnswer = (response) => response.end()): Promise<TestReceiver> {
  const received: ReceivedRequest[] = [];
  let answerTo = answer;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // The end does not come when the sender is killed.
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const got = { method, path, headers, body: Buffer.concat(chunks).toString() };
        received.push(got);
        answerTo(response, got);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith(status) {
      const statusOf = typeof status === 'number' ? () => status : status;
      answerTo = (response, request) => response.writeHead(statusOf(request)).end();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
