import { Agent, request as send } from 'node:http';
import type { Latencies, LoadRequest } from './load.ts';

/** Milliseconds from each request to the last byte of its answer. */
export async function measureLatencies({ requests, warmup, count }: Latencies): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies: number[] = [];
  for (let n = 0; n < warmup + count; n += 1) {
    const startedAt = performance.now();
    await answer(agent, requests[n % requests.length]!);
    if (n >= warmup) latencies.push(performance.now() - startedAt);
  }
  agent.destroy();
  return latencies;
}

function answer(agent: Agent, { url, method = 'GET', headers, body, status }: LoadRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const outgoing = send(url, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        if (incoming.statusCode === status) resolve();
        else
          reject(new Error(`${method} ${url} ${body ?? ''} answered ${incoming.statusCode}: ${Buffer.concat(chunks)}`));
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
