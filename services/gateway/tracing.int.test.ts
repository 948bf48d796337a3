// What a process does with the settings of traces. A gateway listens before NATS is there, so it needs no servers.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { compileCache, eventually, longTest, startCollector, startReceiver } from '@yardarm/testing';
import { afterEach, expect, test } from 'vitest';

/**
 * Prints the URL of each module of OpenTelemetry that the process loads. The API is left out: prom-client loads it, and
 * alone it does nothing.
 */
const printsModules = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    load(url, context, nextLoad) {
      const isOurs = /@opentelemetry\\/(?!api\\/)|\\/tracing\\/otel\\//.test(url);
      if (isOurs) writeSync(1, 'loaded ' + url + '\\n');
      return nextLoad(url, context);
    },
  });`)}`;

interface Gateway {
  process: ChildProcess;
  output(): string;
  url(): Promise<string>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const each of running.splice(0)) each.kill('SIGKILL');
});

function startGateway(environment: Record<string, string>): Gateway {
  const child = spawn(process.execPath, ['--import', printsModules, path.join(import.meta.dirname, 'main.ts')], {
    env: { ...compileCache, NATS_URL: 'nats://127.0.0.1:1', PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  const exited = once(child, 'exit');
  return {
    process: child,
    output: () => output,
    url: () =>
      eventually(() => {
        const line = output.split('\n').find((each) => each.includes('"port":'));
        if (line === undefined) throw new Error(`the gateway does not listen: ${output}`);
        return `http://127.0.0.1:${JSON.parse(line).port}`;
      }),
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

test('without a collector a process loads no module of OpenTelemetry', async () => {
  const gateway = startGateway({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_SERVICE_NAME: 'named' });
  expect((await fetch(`${await gateway.url()}/health`)).status).toBe(200);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output()).not.toContain('loaded ');
});

test('with a collector a process loads them, names itself, and sends its last spans when it stops', async () => {
  const collector = await startCollector();
  const gateway = startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  const traceId = 'e'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'f'.repeat(16)}-01` };
  const answer = await fetch(`${await gateway.url()}/api/client/features`, { headers });
  expect(answer.status).toBe(401);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.output()).toContain('@opentelemetry/sdk-trace');
  const [span] = collector.spans.filter((each) => each.traceId === traceId);
  expect(span).toMatchObject({
    ...{ service: 'yardarm-gateway', name: 'GET /api/client/features', kind: 'server', isError: false },
    attributes: { 'http.response.status_code': 401 },
  });
  await collector.close();
});

longTest('a collector that hangs does not fail a stop', async () => {
  const hanging = await startReceiver(() => {});
  const gateway = startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url });
  expect((await fetch(`${await gateway.url()}/api/client/features`)).status).toBe(401);
  expect(await gateway.stop()).toBe(0);
  await hanging.close();
});

longTest('wrong settings end the start with the code 2 and a sentence for each, without their values', async () => {
  const gateway = startGateway({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_HEADERS: 'secret-key',
    OTEL_TRACES_SAMPLER_ARG: '2',
  });
  const [code] = await once(gateway.process, 'close');
  expect(code).toBe(2);
  expect(gateway.output()).toContain('OTEL_EXPORTER_OTLP_ENDPOINT: should be an http:// or https:// URL');
  expect(gateway.output()).toContain('OTEL_EXPORTER_OTLP_HEADERS: should be name=value pairs');
  expect(gateway.output()).toContain('OTEL_TRACES_SAMPLER_ARG: should be a number from 0 to 1');
  expect(gateway.output()).not.toContain('secret-key');
});
