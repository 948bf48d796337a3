// The process of a bare Express that publishes each body as a signal and answers after its acknowledgement: the
// baseline of signals. It checks nothing. It publishes by the project's bus, since only the bus may import NATS. The
// bus is faster than the publish of the NATS client.
import type { AddressInfo } from 'node:net';
import express from 'express';
import { connectBench } from '../system/log.ts';
import type { BarePublishing } from './bare-publisher.ts';

process.once('message', async ({ natsUrl, endpointId, tokenId, firstId }: BarePublishing) => {
  const bus = await connectBench({ natsUrl });
  let nextId = firstId;
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  // The default limit of a signal.
  app.post('/', express.text({ type: () => true, limit: 102_400 }), async (request, response) => {
    const id = nextId++;
    const signal = {
      ...{ id, source: 'signal-endpoint', sourceId: endpointId, createdBySourceTokenId: tokenId },
      createdAt: new Date().toISOString(),
    };
    await bus.publish(
      `signal.${endpointId}`,
      { ...signal, payloadText: request.body as string },
      { msgId: `signal-${id}` },
    );
    const answer = `{"signals":[${JSON.stringify(signal).slice(0, -1)},"payload":${request.body}}]}`;
    response.set('content-type', 'application/json').end(answer);
  });
  const server = app.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit());
