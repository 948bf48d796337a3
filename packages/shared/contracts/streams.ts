import type { ServiceName } from './contract.ts';

/** The header of a message of EVENTS that numbers what its source publishes, without a gap: by it a lost message shows. */
export const sourceSequenceHeader = 'Yardarm-Source-Sequence';

/**
 * The three streams. `subjects` and names take the configured prefix. Limits-based retention: consumers keep their own
 * position, nothing is deleted by an acknowledgement. A stream that is lost is published again from Postgres, so its age
 * only has to outlast a consumer's longest ordinary absence.
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
    readers: ['events', 'flags'],
    // A weekend away plus two days: the outbox keeps its rows as long (outbox retention in shared/db).
    maxAgeDays: 7,
    summary: 'What happened, from outboxes only: evt.<service>.<event-type>.',
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
    summary: 'Accepted signals on their way to the store: signal.<endpoint id>.',
  },
} as const satisfies Record<string, StreamContract>;

export type StreamName = keyof typeof streams;
