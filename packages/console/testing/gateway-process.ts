import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { compileCache, eventually, type TestSystem } from '@yardarm/testing';

const program = path.resolve(import.meta.dirname, '../../../services/gateway/main.ts');

/** A gateway in a process of its own, at one address for all its starts. */
export interface GatewayProcess {
  url: string;
  start(): Promise<void>;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

export async function gatewayProcess(system: TestSystem, consoleDir: string): Promise<GatewayProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      child = spawn(process.execPath, [program], {
        env: {
          ...{ NATS_URL: system.natsUrlOf('gateway'), YARDARM_PREFIX: system.prefix, CONSOLE_DIR: consoleDir },
          ...{ HOST: '127.0.0.1', PORT: `${port}`, LOG_LEVEL: 'error', ...compileCache },
        },
        stdio: 'inherit',
      });
      await eventually(async () => {
        const { status } = await fetch(`${url}/health`);
        if (status !== 200) throw new Error(`The gateway answers ${status}.`);
      }, 60_000);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
