import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { machineEnvironment } from '../options.ts';

/** What a bare publisher knows. It asks nothing. */
export interface BarePublishing {
  natsUrl: string;
  endpointId: number;
  tokenId: number;
  /** The id of the first signal; the others follow. */
  firstId: number;
}

export interface BarePublisher {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export async function startBarePublisher(publishing: BarePublishing): Promise<BarePublisher> {
  const child = fork(path.join(import.meta.dirname, 'bare-publishing.ts'), {
    env: { ...machineEnvironment(), NODE_ENV: 'production' },
  });
  child.send(publishing);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: child.pid!,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
