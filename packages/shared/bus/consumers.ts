import { AckPolicy, type ConsumerConfig, type ConsumerInfo, DeliverPolicy } from '@nats-io/jetstream';
import { nanos, nuid } from '@nats-io/transport-node';
import { streams as contracts, type StreamName } from '../contracts/streams.ts';
import type { ConsumeOptions, ReadOptions } from './bus.ts';
import type { Connection } from './connection.ts';
import { unavailable } from './failures.ts';
import type { JetStreamApi } from './jetstream-api.ts';

/** Longer than any handler takes. A running handler extends it, so it only passes when a replica dies. */
export const defaultAckWaitMs = 30_000;
const defaultMaxAckPending = 1_000;
/** The server removes a reader's consumer after this time without a pull. It is longer than any batch takes. */
const readerInactiveMs = 5 * 60_000;

/**
 * The only code that creates consumers. There are two kinds:
 *
 *   durable  All replicas of a service share it. The server stores its position, which outlives the service. It is
 *            never deleted here.
 *   reader   It belongs to one process, and the caller stores the position. It is deleted when the reader closes, or
 *            by the server after `readerInactiveMs`.
 *
 * A stream takes its consumers with it when it is deleted.
 */
export interface Consumers {
  /** Creates the durable, or updates its configuration and keeps its position. */
  ensureDurable(
    options: Pick<ConsumeOptions, 'stream' | 'durable' | 'filter' | 'ackWaitMs' | 'maxAckPending'>,
  ): Promise<void>;
  durableInfo(stream: StreamName, durable: string): Promise<ConsumerInfo>;
  /** Creates a consumer without acknowledgements that begins after the sequence. Null without the stream. */
  openReader(
    options: Pick<ReadOptions, 'stream' | 'filter' | 'headersOnly'>,
    afterSequence: number,
  ): Promise<{ consumer: string; close(): Promise<void> } | null>;
  /** How many messages a reader's consumer has delivered and has still to deliver. */
  countOfReader(stream: StreamName, consumer: string): Promise<number>;
}

export function createConsumers(connection: Connection, { manager, call }: JetStreamApi): Consumers {
  const { nc, names } = connection;
  const { consumers } = manager;
  return {
    async ensureDurable(options) {
      const stream = names.name(options.stream);
      const durable = names.name(options.durable);
      const expected = {
        ack_wait: nanos(options.ackWaitMs ?? defaultAckWaitMs),
        max_ack_pending: options.maxAckPending ?? defaultMaxAckPending,
        ...(options.filter === undefined ? {} : { filter_subject: names.subject(options.filter) }),
      } satisfies Partial<ConsumerConfig>;
      const what = `The consumer ${options.durable} of ${options.stream}`;
      // Looks for the consumer first: a rejected creation may delete the position of an existing consumer
      // (https://github.com/nats-io/nats-server/pull/8491).
      const find = () => call(what, () => consumers.info(stream, durable));
      let found = await find();
      if (!found) {
        const config = {
          ...expected,
          durable_name: durable,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          max_deliver: -1,
        };
        found = await call(what, () => consumers.add(stream, config)).catch(async (error: unknown) => {
          const existing = await find();
          if (!existing) throw error;
          return existing;
        });
        if (!found) throw unavailable(`The stream ${options.stream} does not exist.`);
      }
      const { config } = found;
      const isAsConfigured =
        config.ack_wait === expected.ack_wait &&
        config.max_ack_pending === expected.max_ack_pending &&
        (config.filter_subject ?? '') === (expected.filter_subject ?? '');
      if (!isAsConfigured)
        await call(what, () => consumers.update(stream, durable, { filter_subject: undefined, ...expected }));
    },
    async durableInfo(stream, durable) {
      const what = `The consumer ${durable} of ${stream}`;
      const info = await call(what, () => consumers.info(names.name(stream), names.name(durable)));
      if (!info) throw unavailable(`${what} does not exist.`);
      return info;
    },
    async openReader({ stream, filter, headersOnly }, afterSequence) {
      const from =
        afterSequence === 0
          ? { deliver_policy: DeliverPolicy.All }
          : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: afterSequence + 1 };
      const config = {
        ...from,
        ...(filter === undefined ? {} : { filter_subject: names.subject(filter) }),
        ...(headersOnly ? { headers_only: true } : {}),
        name: `reader-${nuid.next()}`,
        ack_policy: AckPolicy.None,
        inactive_threshold: nanos(readerInactiveMs),
        // The caller stores the position, so the consumer need not survive a restart of the server.
        mem_storage: true,
        num_replicas: 1,
      };
      const created = await call(`A reader of ${stream}`, () => consumers.add(names.name(stream), config));
      if (!created) return null;
      return {
        consumer: created.name,
        async close() {
          // The server removes a consumer that remains. Where other services have durables, none may delete consumers.
          if (contracts[stream].readers.length > 1 || !connection.isConnected() || nc.isClosed()) return;
          await connection.whileConnected(consumers.delete(names.name(stream), created.name)).catch(() => {});
        },
      };
    },
    async countOfReader(stream, consumer) {
      const what = `The reader of ${stream}`;
      const info = await call(what, () => consumers.info(names.name(stream), consumer));
      if (!info) throw unavailable(`${what} does not exist.`);
      return info.delivered.consumer_seq + info.num_pending;
    },
  };
}
