import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { ConnectionKind, ConnectionsPlan, Report } from './plan.ts';

/** Needs no token and is large: 16 answers are more than a kernel takes. A gateway refuses names of other hosts. */
const get = 'GET /docs/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';
const post = 'POST /auth/simple/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';

/** As many as fit 60 kB. */
const flood = 1_363;
/** The most that a gateway answers on one connection. */
const allowed = 16;

/** How often a connection sends its next byte or reads. A closed one is opened again after the same time. */
const tickMs = 1_000;
/** Clients do not know of each other: each group of connections acts at its own time within a tick. */
const groups = 50;
/** A connection that reads nothing learns by a byte that it is closed. One that has sent its end is opened again. */
const probeEveryTicks = 5;
const maxAgeTicks = 45;

interface Kind {
  first?: string;
  /** What it sends each second. */
  next?: string;
  /** It ends its side after `first`. */
  ends?: true;
  /** A little: one read of the socket each second. */
  reads?: 'nothing' | 'a little';
}

/** Half of the connections of a kind have its first form, half its second. */
const kinds: Record<ConnectionKind, readonly [Kind, Kind]> = {
  pipelining: [
    { first: get.repeat(flood), reads: 'nothing' },
    { first: get.repeat(allowed), reads: 'nothing' },
  ],
  silent: [{}, { first: 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' }],
  'slow head': [
    { first: 'G', next: 'E' },
    { first: 'GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\nx-slow: ', next: 'x' },
  ],
  'slow body': [
    { first: `${post}Content-Length: 100000\r\n\r\n{`, next: ' ' },
    { first: `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, next: '1\r\n \r\n' },
  ],
  'slow reader': [
    { first: get.repeat(allowed), reads: 'a little' },
    { first: get, reads: 'nothing' },
  ],
  'half-closed': [
    { first: get.repeat(allowed), ends: true, reads: 'nothing' },
    { first: `${post}Content-Length: 100000\r\n\r\n{`, ends: true },
  ],
};

/** Keeps a connection of the kind open. Returns what it does at each tick. */
function keepOpen(target: NetConnectOpts, name: string, kind: Kind, report: Report): (tick: number) => void {
  let socket: Socket | undefined;
  let openedAt = 0;

  function open(): void {
    const made = connect(target);
    socket = made;
    // One read ends the turn of a connection that reads a little.
    made.on('data', () => {
      if (kind.reads) made.pause();
    });
    if (kind.reads) made.pause();
    made.on('error', () => undefined);
    made.once('connect', () => {
      report.counts[name]! += 1;
      report.open += 1;
      made.once('close', () => {
        report.open -= 1;
      });
      if (kind.first) made.write(kind.first);
      if (kind.ends) made.end();
    });
    made.once('close', () => {
      socket = undefined;
    });
  }

  return (tick) => {
    if (!socket) {
      openedAt = tick;
      open();
      return;
    }
    if (socket.connecting) return;
    if (kind.next) socket.write(kind.next);
    if (kind.reads === 'a little' && socket.isPaused()) socket.resume();
    const age = tick - openedAt;
    if (kind.ends && age >= maxAgeTicks) socket.destroy();
    else if (kind.reads && !kind.ends && age % probeEveryTicks === 0) socket.write('G');
  };
}

/** Keeps so many connections of the kinds open, all at once. */
export function holdConnections(plan: ConnectionsPlan, report: Report): void {
  const { connections, kinds: names, addresses } = plan;
  const { hostname: host, port } = new URL(plan.url);
  for (const name of names) report.counts[name] = 0;
  const each = Array.from({ length: connections }, (_, n) => {
    const name = names[n % names.length]!;
    const target = { host, port: Number(port), localAddress: addresses[n % addresses.length]! };
    return keepOpen(target, name, kinds[name][Math.floor(n / names.length) % 2]!, report);
  });
  let turns = 0;
  setInterval(() => {
    const [tick, group] = [Math.floor(turns / groups), turns % groups];
    turns += 1;
    for (let n = group; n < each.length; n += groups) each[n]!(tick);
  }, tickMs / groups);
}
