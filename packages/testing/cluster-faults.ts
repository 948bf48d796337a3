// What may happen to a minority of a cluster of NATS, and to all of it.
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { eventually } from './eventually.ts';
import type { ClusterServer, TestCluster } from './nats-cluster.ts';

/** Longer than the connections of the bus take to notice a server that is silent (10 s). */
const pausedMs = 15_000;

/** Servers elect leaders and catch up within seconds, on a very busy machine within a minute. */
export const clusterLimitMs = 120_000;

/** The longest time in milliseconds from `since` on without one of these times, which increase. */
export function longestGapMs(times: readonly number[], since: number): number {
  const all = [since, ...times.filter((at) => at > since)];
  return Math.round(Math.max(...all.slice(1).map((at, index) => at - all[index]!)));
}

export interface ClusterFault {
  name: string;
  cause(): Promise<void>;
}

async function withConnection<T>(
  cluster: TestCluster,
  urls: string,
  use: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  const [url] = urls.split(',') as [string];
  const { username: user, password: pass } = new URL(url);
  const servers = cluster.servers.map(({ port }) => `localhost:${port}`);
  const tls = { caFile: cluster.settings.NATS_CA_FILE };
  const connection = await connect({ servers, user, pass, tls, inboxPrefix: '_INBOX.events.test', timeout: 5_000 });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** What the server says of EVENTS, which all services and tests use. */
export function eventsInfo(cluster: TestCluster) {
  return withConnection(cluster, cluster.urlOf('events'), async (connection) => {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    return await manager.streams.info('EVENTS');
  });
}

/** What `nats server cluster peer-remove` asks. */
async function removeFromCluster(cluster: TestCluster, name: string): Promise<void> {
  await withConnection(cluster, cluster.systemUrl, async (connection) => {
    const answer = await connection.request('$JS.API.SERVER.REMOVE', JSON.stringify({ peer: name }), {
      timeout: 5_000,
    });
    const { error } = answer.json<{ error?: { description: string } }>();
    if (error) throw new Error(`${name} was not removed: ${error.description}`);
  });
}

async function serverAs(cluster: TestCluster, role: 'leader' | 'follower'): Promise<ClusterServer> {
  return eventually(async () => {
    const { cluster: members } = await eventsInfo(cluster);
    const name = role === 'leader' ? members?.leader : members?.replicas?.find(({ offline }) => !offline)?.name;
    const server = cluster.servers.find((one) => one.name === name);
    if (!server) throw new Error(`EVENTS has no ${role}`);
    return server;
  }, clusterLimitMs);
}

/** Waits until two followers of EVENTS have all of it. */
export async function untilAllCurrent(cluster: TestCluster): Promise<void> {
  await eventually(async () => {
    const { cluster: members } = await eventsInfo(cluster);
    const current = members?.replicas?.filter(({ current, offline }) => current && !offline) ?? [];
    if (!members?.leader || current.length < 2) throw new Error('a copy of EVENTS is not current');
  }, clusterLimitMs);
}

/** The files with the messages of the streams of a server. Throws without one, because nothing would be damaged. */
function blocksOf(server: ClusterServer): string[] {
  const blocks = readdirSync(server.storeDir, { recursive: true, encoding: 'utf8' })
    .filter((file) => /streams\/(EVENTS|SIGNALS)\/msgs\/.*\.blk$/.test(file))
    .map((file) => path.join(server.storeDir, file))
    .filter((file) => statSync(file).size > 0);
  if (blocks.length === 0) throw new Error(`${server.name} has no messages`);
  return blocks;
}

function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = bytes[middle]! ^ 0xff;
  writeFileSync(file, bytes);
}

const truncate = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));

async function restart(server: ClusterServer, damage: () => void = () => {}): Promise<void> {
  await server.kill();
  damage();
  server.start();
}

/** Faults of fewer servers than a majority, of which no acknowledged message may be lost, and kills of more. */
export function minorityFaults(cluster: TestCluster): ClusterFault[] {
  const onOne = (name: string, damage: (server: ClusterServer) => void): ClusterFault[] =>
    (['follower', 'leader'] as const).map((role) => ({
      name: `a ${role} ${name}`,
      cause: async () => {
        const server = await serverAs(cluster, role);
        await restart(server, () => damage(server));
      },
    }));
  return [
    ...onOne('killed by SIGKILL', () => {}),
    {
      name: 'two servers killed by SIGKILL',
      cause: async () => {
        const two = [await serverAs(cluster, 'leader'), await serverAs(cluster, 'follower')];
        for (const server of two) await server.kill();
        for (const server of two) server.start();
      },
    },
    {
      name: 'all three servers killed by SIGKILL',
      cause: async () => {
        for (const server of cluster.servers) await server.kill();
        for (const server of cluster.servers) server.start();
      },
    },
    {
      name: `a leader paused for ${pausedMs / 1000} s`,
      cause: async () => {
        const server = await serverAs(cluster, 'leader');
        server.pause();
        await new Promise((resolve) => setTimeout(resolve, pausedMs));
        server.resume();
      },
    },
    {
      name: 'a follower removed, and a new server added',
      cause: async () => {
        const server = await serverAs(cluster, 'follower');
        await server.kill();
        await eventually(() => removeFromCluster(cluster, server.name), clusterLimitMs);
        server.replaceWith(`${server.name}-new`);
        server.start();
      },
    },
    ...onOne('with an empty store', (server) => server.wipe()),
    ...onOne('with truncated blocks', (server) => blocksOf(server).forEach(truncate)),
    ...onOne('with a flipped byte in each block', (server) => blocksOf(server).forEach(flipByte)),
  ];
}

/** The streams are gone. What was only there is lost. */
export function lossOfAllStores(cluster: TestCluster): ClusterFault {
  return {
    name: 'all three servers with empty stores',
    cause: async () => {
      for (const server of cluster.servers) await server.kill();
      for (const server of cluster.servers) server.wipe();
      for (const server of cluster.servers) server.start();
    },
  };
}
