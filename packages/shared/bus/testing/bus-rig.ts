import { connect, type NatsConnection } from '@nats-io/transport-node';
import { createLogger, type Logger } from '../../log/index.ts';
import type { Bus, RequestContext } from '../bus.ts';
import type { BusOptions } from '../bus-options.ts';
import { connectBus } from '../connect-bus.ts';
import { parseUrl } from '../dial.ts';

export function keepingLogger(): { log: Logger; lines: { level: number; msg: string; [key: string]: unknown }[] } {
  const lines: { level: number; msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLogger({ service: 'test', level: 'debug', destination }), lines };
}

/** The buses that the tests of a file open. `drain` closes those that are open, after each test. */
export function openBuses(log: Logger) {
  const open: Bus[] = [];
  return {
    async connect(options: Pick<BusOptions, 'url'> & Partial<BusOptions>): Promise<Bus> {
      const bus = await connectBus({ name: 'test', prefix: '', log, ...options });
      open.push(bus);
      return bus;
    },
    async drain(): Promise<void> {
      await Promise.all(open.splice(0).map((bus) => bus.drain()));
    },
  };
}

/** A context of an admin with a deadline in ten seconds, and the given changes. */
export function contextWith(changes: Partial<RequestContext> = {}): RequestContext {
  return {
    requestId: 'req-1',
    actor: { kind: 'user', id: 1, username: 'ann', grants: [{ permissions: ['ADMIN'] }] },
    deadline: Date.now() + 10_000,
    traceparent: null,
    ...changes,
  };
}

/** Returns the error that `run` throws; throws when it throws none. */
export async function thrownBy(run: () => Promise<unknown>): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Connects to a server as the user of its URL, without the bus. */
export async function dial(url: string, inboxPrefix = '_INBOX', caFile?: string): Promise<NatsConnection> {
  const { servers, ...user } = parseUrl(url);
  return connect({ servers, ...user, inboxPrefix, ...(caFile !== undefined && { tls: { caFile } }) });
}
