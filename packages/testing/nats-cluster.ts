import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServiceName, serviceNames } from '@yardarm/shared/contracts';
import { freePort } from '../../scripts/servers/free-port.ts';
import { guard } from '../../scripts/servers/guard.ts';
import { findReplicatingNats } from '../../scripts/servers/replicating-nats.ts';
import { makeAuthority, type TestAuthority } from './certificates.ts';

const deployed = path.resolve(import.meta.dirname, '../../deploy');

/** A server of the cluster. */
export interface ClusterServer {
  /** Of the server that runs here. */
  readonly name: string;
  port: number;
  /** Its streams, below `jetstream`. */
  storeDir: string;
  start(): void;
  /** Ends it by SIGKILL. Its files stay. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Deletes its streams. It must not run. */
  wipe(): void;
  /** The next start is that of another server, which has nothing yet. This one must not run. */
  replaceWith(name: string): void;
}

export interface TestCluster {
  servers: ClusterServer[];
  version: string;
  /** The addresses of all servers, with the user of a service. */
  urlOf(service: ServiceName): string;
  /** With the user of operators, who may remove a server. */
  systemUrl: string;
  /** Its certificate signs those of the servers. */
  authority: TestAuthority;
  /** Each service's environment: the authority. */
  settings: { NATS_CA_FILE: string };
  stop(): Promise<void>;
}

/**
 * Starts a cluster with deploy/nats-cluster.conf, of which only addresses and folders are replaced. The servers are
 * removed with their files also when this process is killed.
 */
export async function startTestCluster(count = 3, tag = 'disk:fast'): Promise<TestCluster> {
  const program = await findReplicatingNats(() => {});
  const folder = mkdtempSync(path.join(tmpdir(), 'yardarm-cluster-'));
  const authority = makeAuthority(path.join(folder, 'tls'));
  const { certFile, keyFile } = authority.issue('server', ['DNS:localhost', 'IP:127.0.0.1']);
  const passwords = Object.fromEntries(
    [...serviceNames, 'system'].map((user) => [user, randomBytes(16).toString('hex')]),
  );
  const ports = await Promise.all(
    Array.from({ length: count }, async () => [await freePort(), await freePort()] as const),
  );
  const routes = ports.map(([, route]) => `nats://localhost:${route}`);
  cpSync(path.join(deployed, 'nats-users.conf'), path.join(folder, 'nats-users.conf'));

  const servers = ports.map(([port, route], index): ClusterServer => {
    let name = `nats-${index}`;
    const storeDir = path.join(folder, name);
    mkdirSync(storeDir);
    const conf = path.join(folder, `${name}.conf`);
    const text = readFileSync(path.join(deployed, 'nats-cluster.conf'), 'utf8')
      .replace('port: 4222', `listen: "127.0.0.1:${port}"`)
      .replace('port: 6222', `listen: "127.0.0.1:${route}"`)
      .replace(/^http: .*$/m, '')
      .replace('/data', JSON.stringify(storeDir))
      .replaceAll('/etc/nats/tls/tls.crt', JSON.stringify(certFile))
      .replaceAll('/etc/nats/tls/tls.key', JSON.stringify(keyFile))
      .replaceAll('/etc/nats/tls/ca.crt', JSON.stringify(authority.caFile));
    writeFileSync(conf, text);
    const environment = {
      NATS_SERVER_TAG: JSON.stringify(tag),
      NATS_ROUTES: JSON.stringify(routes),
      ...Object.fromEntries(
        Object.entries(passwords).map(([user, password]) => [`${user.toUpperCase()}_NATS_PASSWORD`, `"${password}"`]),
      ),
    };
    let child: ChildProcess | undefined;
    const wipe = () => rmSync(path.join(storeDir, 'jetstream'), { recursive: true, force: true });
    return {
      get name() {
        return name;
      },
      port,
      storeDir,
      start() {
        const log = openSync(path.join(folder, `${name}.log`), 'a');
        const env = { ...environment, NATS_SERVER_NAME: JSON.stringify(name) };
        child = spawn(program.file, ['-c', conf], { env, stdio: ['ignore', log, log] });
        closeSync(log);
        const watch = guard('kill -9 "$1"; sleep 1; rm -rf "$2"', child.pid ?? '', folder);
        child.once('exit', () => watch.release());
      },
      async kill() {
        if (!child || child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      },
      pause: () => void child?.kill('SIGSTOP'),
      resume: () => void child?.kill('SIGCONT'),
      wipe,
      replaceWith(other) {
        wipe();
        name = other;
      },
    };
  });
  for (const server of servers) server.start();
  const urlWith = (user: string) =>
    servers.map(({ port }) => `tls://${user}:${passwords[user]}@localhost:${port}`).join();
  return {
    servers,
    version: program.version,
    urlOf: urlWith,
    systemUrl: urlWith('system'),
    authority,
    settings: { NATS_CA_FILE: authority.caFile },
    async stop() {
      await Promise.all(servers.map((server) => server.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
