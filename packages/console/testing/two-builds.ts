import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** Copies a built console as one of other sources would be: each file whose name has a hash has another one. */
export async function buildWithOtherNames(folder: string, to: string): Promise<void> {
  await cp(folder, to, { recursive: true });
  const assets = path.join(to, 'assets');
  const names = await readdir(assets);
  for (const name of names.filter((each) => /\.(br|gz)$/.test(each))) await rm(path.join(assets, name));
  const renamed = names.filter((name) => /-[\w-]{8}\.(js|css)$/.test(name));
  const other = (name: string) => name.replace(/\.(js|css)$/, '-other.$1');
  for (const file of [path.join(to, 'index.html'), ...renamed.map((name) => path.join(assets, name))]) {
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      renamed.reduce((changed, name) => changed.replaceAll(name, other(name)), text),
    );
  }
  for (const name of renamed) await rename(path.join(assets, name), path.join(assets, other(name)));
}

export interface Balancer {
  url: string;
  /** The gateways that get the requests, in turn. */
  targets: string[];
  /** Whether the answer to a request is lost on its way, after a gateway has done what it asks for. */
  loses(request: IncomingMessage): boolean;
  stop(): Promise<void>;
}

/**
 * One address of several gateways, as a proxy in front of them. It keeps no cache. A browser sends a request again by
 * itself when a kept connection breaks before the answer, unless the proxy keeps none.
 */
export async function startBalancer(targets: string[], keepsConnections = true): Promise<Balancer> {
  let count = 0;
  const balancer: Balancer = { url: '', targets, loses: () => false, stop: async () => undefined };
  const server = createServer((incoming: IncomingMessage, answer: ServerResponse) => {
    const target = balancer.targets[count++ % balancer.targets.length]!;
    const { method, headers, url } = incoming;
    const passed = request(target + url, { method, headers, agent: false }, (response) => {
      if (balancer.loses(incoming)) {
        response.resume().on('end', () => answer.destroy());
        return;
      }
      answer.writeHead(response.statusCode!, {
        ...response.headers,
        ...(!keepsConnections && { connection: 'close' }),
      });
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  balancer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  balancer.stop = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return balancer;
}
