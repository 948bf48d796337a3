import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';

export interface BareAnswer {
  /** Express 5 without etag and x-powered-by, or only node:http. */
  with: 'express' | 'node:http';
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface BareServer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startBareServer(answer: BareAnswer): Promise<BareServer> {
  const child = fork(path.join(import.meta.dirname, 'bare-serving.ts'), {
    env: { ...machineEnvironment(), NODE_ENV: 'production' },
    serialization: 'advanced',
  });
  child.send(answer);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
