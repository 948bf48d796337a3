import type { ServiceName } from './contract.ts';

/** The header that numbers the messages of one source in EVENTS without gaps. A gap shows that a message was lost. */
export const sourceSequenceHeader = 'Yardarm-Source-Sequence';

/** The header of messages of EVENTS with the epoch of a restored database. */
export const epochHeader = 'Yardarm-Epoch';

/**
 * A stream. Its name and `subjects` get the configured prefix. Retention is by limits: consumers keep their own
 * positions, and an acknowledgement deletes nothing. A lost stream is published again from Postgres, so the maximum age
 * only has to exceed the longest usual absence of a consumer.
 */
export interface StreamContract {
  readonly name: 'EVENTS' | 'RECORDED' | 'SIGNALS';
  /** The subjects of the stream. Each ends in `>`. */
  readonly subjects: readonly string[];
  /** The services that publish to it. With several, each has its own subjects: `evt.<service>.>`. */
  readonly publishers: readonly ServiceName[];
  readonly readers: readonly ServiceName[];
  /** The durables of the readers that have one. */
  readonly durables: Readonly<Partial<Record<ServiceName, readonly string[]>>>;
  /** The reader that reads from positions of its own, with consumers that it makes and names at each opening. */
  readonly positionReader: ServiceName;
  /** The only service that changes the configuration of the stream once it exists. */
  readonly keeper: ServiceName;
  readonly maxAgeDays: number;
  readonly summary: string;
}

export const streams = {
  EVENTS: {
    name: 'EVENTS',
    subjects: ['evt.>'],
    publishers: ['flags', 'integrations', 'signals', 'accounts'],
    readers: ['events', 'flags', 'accounts', 'signals'],
    durables: {
      flags: ['flags-users'],
      accounts: ['accounts-project-created', 'accounts-project-deleted', 'accounts-environment-deleted'],
      signals: ['signals-project-deleted'],
    },
    positionReader: 'events',
    keeper: 'events',
    // A weekend plus days of reserve. The outbox keeps its rows as long (outbox retention in shared/db).
    maxAgeDays: 7,
    summary: 'Events of the services, from their outboxes: evt.<service>.<event-type>.',
  },
  // The release before publishes and reads this stream while versions are mixed. This release does not use it.
  RECORDED: {
    name: 'RECORDED',
    subjects: ['recorded.>'],
    publishers: ['events'],
    readers: ['integrations'],
    durables: {},
    positionReader: 'integrations',
    keeper: 'events',
    maxAgeDays: 7,
    summary: 'Of the release before: every event of the log. Integrations reads the log itself.',
  },
  SIGNALS: {
    name: 'SIGNALS',
    subjects: ['signal.>'],
    publishers: ['gateway'],
    readers: ['signals'],
    durables: { signals: ['signals-store'] },
    positionReader: 'signals',
    keeper: 'signals',
    maxAgeDays: 7,
    summary: 'Accepted signals that are to be stored: signal.<endpoint id>.',
  },
} as const satisfies Record<string, StreamContract>;

export type StreamName = keyof typeof streams;
