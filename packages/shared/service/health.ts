import { createServer, type Server } from 'node:http';
import { metrics, scrape } from '../telemetry/index.ts';

/** Null, the reason why the service cannot serve, or the reason why it serves only a part of its callers. */
export type PartHealth = string | { degraded: string } | null;

export type Health = () => Promise<Record<string, PartHealth>>;

export function isReady(parts: Record<string, PartHealth>): boolean {
  return Object.values(parts).every((problem) => typeof problem !== 'string');
}

/** The second path is the public product's, which dashboards and scrapers of it name. */
const metricsPaths: readonly string[] = ['/metrics', '/internal-backstage/prometheus'];

/** Shorter than the timeout of the prober, which is 3 s in our charts; the default of Kubernetes is 1 s. */
const probeLimitMs = 2_000;

/**
 * Serves /livez and /health (the process runs), /ready (503 when a part cannot serve, else 200, with every part) and
 * the metrics. The port is separate from the public one, so that a busy gateway still answers its probes.
 */
export async function startHealthServer(options: {
  host: string;
  port: number;
  health: Health;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://health').pathname;
    answer(path, options.health).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: portOf(server), close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function answer(path: string, health: Health): Promise<{ status: number; type: string; body: string }> {
  const json = 'application/json';
  if (path === '/livez' || path === '/health') return { status: 200, type: json, body: '{"health":"GOOD"}' };
  if (metricsPaths.includes(path)) return { status: 200, type: metrics.contentType, body: await scrape() };
  if (path === '/ready') {
    const parts = await withinLimit(health());
    const canServe = isReady(parts);
    return {
      status: canServe ? 200 : 503,
      type: json,
      body: JSON.stringify({ health: canServe ? 'GOOD' : 'BAD', parts }),
    };
  }
  return { status: 404, type: json, body: '{}' };
}

async function withinLimit(parts: ReturnType<Health>): ReturnType<Health> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Record<string, string>>((resolve) => {
    timer = setTimeout(() => resolve({ probe: `no answer within ${probeLimitMs} ms` }), probeLimitMs);
  });
  try {
    return await Promise.race([parts, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
