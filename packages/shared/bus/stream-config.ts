import { RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { streams as contracts, type StreamName } from '../contracts/streams.ts';
import type { Names } from './subjects.ts';

/** The server's default; a longer window costs memory. Later duplicates are found by the inboxes of the consumers. */
const duplicateWindowMs = 2 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** What the keeper of a stream keeps as it is here. */
export function configOf(name: StreamName, names: Names) {
  return {
    subjects: contracts[name].subjects.map((subject) => names.subject(subject)),
    max_age: nanos(contracts[name].maxAgeDays * dayMs),
    duplicate_window: nanos(duplicateWindowMs),
    // A user can send requests without permission: the server does not check the reply subject of a message, and
    // sends its answer there. A purge would lose events for good; after a deletion they are published again.
    deny_delete: true,
    deny_purge: true,
  };
}

/** The configuration with which a stream is made, without its replicas. */
export function newStreamConfig(name: StreamName, names: Names) {
  return {
    ...configOf(name, names),
    name: names.name(name),
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
  };
}

/** Whether the stream has these values. The server returns the subjects in any order. */
export function hasConfig(actual: StreamConfig, { subjects, ...expected }: Partial<StreamConfig>): boolean {
  const values = Object.entries(expected) as [keyof StreamConfig, unknown][];
  return isSameSet(actual.subjects, subjects) && values.every(([key, value]) => actual[key] === value);
}

export function isSameSet(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return JSON.stringify([...one].sort()) === JSON.stringify([...other].sort());
}

/**
 * While a stream is being made, nats-server 2.9 may answer with the zero time as its creation. A reader that took this
 * for the incarnation would store its position in a stream that does not exist.
 */
export function isMade({ created }: StreamInfo): boolean {
  return !created.startsWith('0001-');
}
