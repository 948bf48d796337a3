import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pause } from '@yardarm/shared/waiting';
import { processesIn, signalAll } from '../../../scripts/servers/processes.ts';
import { type Balancer, startBalancer } from '../balancer.ts';
import { type CrashingServers, startCrashingServers } from '../servers.ts';
import { Clock, clockFile } from './clocks.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** An hour of changes takes half of these. */
const diskMegabytes = { postgres: 1_024, nats: 512 };

export interface SoakServers extends CrashingServers {
  /** Between the services and their servers. */
  cut: Record<'Postgres' | 'NATS', (ms: number) => Promise<void>>;
  /** SIGSTOP and SIGCONT of all processes of a server. */
  signal: Record<'Postgres' | 'NATS', (signal: 'SIGSTOP' | 'SIGCONT') => void>;
  /** Null where this process may not mount. */
  disks: Record<'Postgres' | 'NATS', SmallDisk> | null;
  clock: Clock;
  /** The library, where every user may read it; null without one. */
  faketime: string | null;
}

/** A Postgres and a NATS behind proxies, each on a small disk, and Postgres with a clock that a test moves. */
export async function startSoakServers(faketime: string | null): Promise<SoakServers> {
  const disks: SmallDisk[] = [];
  let clock: Clock | undefined;
  let copied: string | null = null;
  const environment: Record<string, string> = {};
  const servers = await startCrashingServers({
    prepare(folder) {
      if (faketime !== null) {
        copied = path.join(folder, 'libfaketime.so.1');
        copyFileSync(faketime, copied);
      }
      clock = new Clock(clockFile(folder, 'postgres'), copied);
      Object.assign(environment, clock.environment);
      const [postgres, nats] = (['postgres', 'nats'] as const).map((name) => {
        const disk = mountSmallDisk(path.join(folder, `disk-of-${name}`), diskMegabytes[name]);
        if (disk !== null) disks.push(disk);
        return disk?.folder ?? path.join(folder, name);
      });
      return { postgres: postgres!, nats: nats! };
    },
    // So that what is not the log of Postgres fits on its disk.
    postgres: { settings: ['max_wal_size=128MB', 'min_wal_size=64MB'], environment },
  });
  const { dataFolders } = servers;
  const portOf = (url: string) => Number(new URL(url).port);
  const proxies = {
    Postgres: await startProxy(portOf(servers.postgresUrl)),
    NATS: await startProxy(portOf(servers.natsUrl)),
  };
  const behind = (url: string, { port }: { port: number }) => {
    const changed = new URL(url);
    changed.port = String(port);
    return changed.href.replace(/\/$/, '');
  };
  const natsPid = () => Number(readFileSync(path.join(dataFolders.nats, 'nats.pid'), 'utf8'));

  return {
    ...servers,
    natsUrlOf: (service) => behind(servers.natsUrlOf(service), proxies.NATS),
    withHosts: (url) => behind(url, proxies.Postgres),
    cut: { Postgres: proxies.Postgres.cutFor, NATS: proxies.NATS.cutFor },
    signal: {
      Postgres: (signal) => signalAll(processesIn(path.join(dataFolders.postgres, 'cluster')), signal),
      NATS: (signal) => signalAll([natsPid()], signal),
    },
    disks: disks.length === 2 ? { Postgres: disks[0]!, NATS: disks[1]! } : null,
    clock: clock!,
    faketime: copied,
    async stop() {
      for (const proxy of Object.values(proxies)) proxy.close();
      for (const disk of disks) disk.clear();
      await servers.stop().catch(() => undefined);
      for (const disk of disks) disk.unmount();
    },
  };
}

async function startProxy(target: number): Promise<Balancer & { cutFor(ms: number): Promise<void> }> {
  let isCut = false;
  const proxy = await startBalancer(() => (isCut ? [] : [target]));
  return {
    ...proxy,
    async cutFor(ms) {
      isCut = true;
      proxy.cut();
      await pause(ms);
      isCut = false;
    },
  };
}
