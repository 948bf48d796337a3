// The process of endpoints of webhooks. It answers 200; the answer to a GET is the number of messages of all paths.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ids = new Set<string>();

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(ids.size));
    return;
  }
  request.resume();
  request.on('end', () => {
    ids.add(`${request.url} ${request.headers['webhook-id'] ?? ids.size}`);
    response.end();
  });
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
