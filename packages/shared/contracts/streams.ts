import type { ServiceName } from './contract.ts';

/** The header that numbers the messages of one source in EVENTS without gaps. A gap shows that a message was lost. */
export const sourceSequenceHeader = 'Yardarm-Source-Sequence';

/**
 * A stream. Its name and `subjects` get the configured prefix. Retention is by limits: consumers keep their own
 * positions, and an acknowledgement deletes nothing. A lost stream is published again from Postgres, so the maximum age
 * only has to exceed the longest usual absence of a consumer.
 */
export interface StreamContract {
  readonly name: 'EVENTS' | 'RECORDED' | 'SIGNALS';
  readonly subjects: readonly string[];
  readonly publisher: ServiceName | 'every service';
  readonly readers: readonly ServiceName[];
  readonly maxAgeDays: number;
  readonly summary: string;
}

export const streams = {
  EVENTS: {
    name: 'EVENTS',
    subjects: ['evt.>'],
    publisher: 'every service',
    readers: ['events', 'flags', 'accounts', 'signals'],
    // A weekend plus days of reserve. The outbox keeps its rows as long (outbox retention in shared/db).
    maxAgeDays: 7,
    summary: 'Events of the services, from their outboxes: evt.<service>.<event-type>.',
  },
  RECORDED: {
    name: 'RECORDED',
    subjects: ['recorded.>'],
    publisher: 'events',
    readers: ['integrations'],
    maxAgeDays: 7,
    summary: 'Every event of the log with its public id, in the order of the ids: recorded.<event-type>.',
  },
  SIGNALS: {
    name: 'SIGNALS',
    subjects: ['signal.>'],
    publisher: 'gateway',
    readers: ['signals'],
    maxAgeDays: 7,
    summary: 'Accepted signals that are to be stored: signal.<endpoint id>.',
  },
} as const satisfies Record<string, StreamContract>;

export type StreamName = keyof typeof streams;
