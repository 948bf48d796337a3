// The process of a server that only answers with prepared bytes: the baseline of the reads.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { BareAnswer } from './bare-server.ts';

function onExpress({ status, headers }: BareAnswer, body: Buffer): RequestListener {
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.use((_request, response) => {
    response.status(status).set(headers).end(body);
  });
  return app;
}

function onNode({ status, headers }: BareAnswer, body: Buffer): RequestListener {
  return (_request, response) => response.writeHead(status, headers).end(body);
}

process.once('message', (answer: BareAnswer) => {
  const body = Buffer.from(answer.body);
  const server = createServer(answer.with === 'express' ? onExpress(answer, body) : onNode(answer, body));
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit());
