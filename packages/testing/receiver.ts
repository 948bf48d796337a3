import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestReceiver {
  url: string;
  received: ReceivedRequest[];
  /** Sets the status of later answers; a function decides per request. */
  answerWith(status: number | ((request: ReceivedRequest) => number)): void;
  close(): Promise<void>;
}

/** Starts a receiver on a free loopback port; it answers 200. */
export async function startReceiver(): Promise<TestReceiver> {
  const received: ReceivedRequest[] = [];
  let decide: (request: ReceivedRequest) => number = () => 200;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const got = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(got);
      response.writeHead(decide(got)).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answerWith(status) {
      decide = typeof status === 'number' ? () => status : status;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
