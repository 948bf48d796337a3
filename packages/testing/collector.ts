import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './eventually.ts';
import { type ReceivedExport, type ReceivedSpan, spansIn } from './otlp.ts';

/** A collector that receives traces by OTLP/HTTP. */
export interface TestCollector {
  url: string;
  /** In the order of their arrival. */
  spans: ReceivedSpan[];
  exports: ReceivedExport[];
  /** Replaces the answer, which is 200. The spans count as received with every answer. */
  answer: (response: ServerResponse) => void;
  /** The spans of the trace, once `isComplete` holds for them. */
  trace(traceId: string, isComplete: (spans: readonly ReceivedSpan[]) => boolean): Promise<ReceivedSpan[]>;
  close(): Promise<void>;
}

export async function startCollector(port = 0): Promise<TestCollector> {
  const spans: ReceivedSpan[] = [];
  const exports: ReceivedExport[] = [];
  const server: Server = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    exports.push({ path: request.url ?? '', headers: request.headers });
    spans.push(...spansIn(body));
    collector.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const collector: TestCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ spans, exports },
    answer: (response) => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(),
    trace: (traceId, isComplete) =>
      eventually(() => {
        const found = spans.filter((span) => span.traceId === traceId);
        if (!isComplete(found)) throw new Error(`the trace has only ${found.map(({ name }) => name).join(', ')}`);
        return found;
      }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return collector;
}
