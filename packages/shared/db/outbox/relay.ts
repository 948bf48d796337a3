import type { ServiceName } from '../../contracts/contract.ts';
import type { Logger } from '../../log/index.ts';
import type { Database } from '../database.ts';
import type { SharedTables } from '../tables.ts';

/** What the relay needs of the bus. */
export interface RelayBus {
  publish(
    subject: string,
    payload: unknown,
    options: { msgId: string; traceparent?: string | null; headers?: Record<string, string> },
  ): Promise<{ sequence: number; duplicate: boolean }>;
  streamInfo(name: 'EVENTS'): Promise<{ incarnation: string }>;
  /** Returns the way to stop listening. */
  onStreamRecreated(name: 'EVENTS', listener: () => void): unknown;
}

export interface RelayOptions<T extends SharedTables> {
  db: Database<T>;
  bus: RelayBus;
  source: ServiceName;
  log: Logger;
  pollMs?: number;
}

export interface Relay {
  /** Looks now and not at the next poll. */
  wake(): void;
  /** Resolves when no committed unpublished row is left. */
  processAll(): Promise<void>;
  stop(): Promise<void>;
  lag(): Promise<{ rows: number; oldestSeconds: number }>;
}

export function startRelay<T extends SharedTables>(_options: RelayOptions<T>): Relay {
  throw new Error('on its way');
}
