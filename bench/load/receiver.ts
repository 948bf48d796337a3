import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';

/** An endpoint for webhooks in a process of its own. */
export interface Receiver {
  url: string;
  /** How many messages came, by their webhook-id; from a sender that gives none, how many requests. */
  count(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts one on a free port of loopback. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(path.join(import.meta.dirname, 'receiving.ts'), { env: machineEnvironment() });
  const [port] = (await once(child, 'message')) as [number];
  const address = `http://127.0.0.1:${port}`;
  return {
    url: `${address}/hook`,
    async count() {
      return Number(await (await fetch(`${address}/count`)).text());
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
