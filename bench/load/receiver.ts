import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';

export interface Receiver {
  url: string;
  /**
   * The number of received messages of all paths below the url, by webhook-id; the number of requests if the sender
   * sends no webhook-id.
   */
  count(): Promise<number>;
  stop(): Promise<void>;
}

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
