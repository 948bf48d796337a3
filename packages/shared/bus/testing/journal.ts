import { eventually } from '@yardarm/testing';
import { longestGapMs } from '@yardarm/testing/cluster-faults';
import type { Bus } from '../bus.ts';
import { beginning, type StreamPosition } from '../stream-position.ts';

/** A little slower than a flag that people change, and fast enough to meet every fault. */
const publishEveryMs = 10;

/**
 * Publishes numbered messages to EVENTS, and reads them with a position of its own, as the recorder does. A message
 * without an acknowledgement is published again under its id until it has one, as a relay does.
 */
export async function startJournal({ publisher, reader }: { publisher: Bus; reader: Bus }) {
  const run = crypto.randomUUID();
  const acknowledgedAt: number[] = [];
  const acknowledged = new Set<number>();
  const handled = new Map<number, number>();
  let position: StreamPosition = beginning;
  let isStopped = false;

  const { incarnation, lastSequence } = await reader.streamInfo('EVENTS');
  position = { incarnation, lastSequence };
  const reading = reader.read({ stream: 'EVENTS', maxBatch: 100, from: async () => position }, async (batch) => {
    for (const { payload } of batch.messages) {
      const message = payload as { run?: string; number?: number };
      if (message.run !== run || message.number === undefined) continue;
      handled.set(message.number, (handled.get(message.number) ?? 0) + 1);
    }
    position = { incarnation: batch.incarnation, lastSequence: batch.messages.at(-1)!.sequence };
  });

  async function publish(number: number): Promise<void> {
    while (!isStopped) {
      try {
        await publisher.publish('evt.flags.x', { run, number }, { msgId: `${run}-${number}` });
        acknowledged.add(number);
        acknowledgedAt.push(performance.now());
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }
  const publishing = (async () => {
    for (let number = 1; !isStopped; number += 1) {
      await publish(number);
      await new Promise((resolve) => setTimeout(resolve, publishEveryMs));
    }
  })();

  return {
    countAcknowledged: () => acknowledged.size,
    countDoubled: () => [...handled.values()].filter((times) => times > 1).length,
    /** Waits for that many more acknowledgements. */
    async acknowledged(more: number, limitMs: number): Promise<void> {
      const target = acknowledged.size + more;
      await eventually(() => {
        if (acknowledged.size < target) throw new Error(`${target - acknowledged.size} messages are not acknowledged`);
      }, limitMs);
    },
    /** The longest time without an acknowledgement since then. */
    longestGapMs: (since: number) => longestGapMs(acknowledgedAt, since),
    /** Waits until the reader has handled what was acknowledged before the call. Returns what it did not get. */
    async findLost(limitMs: number): Promise<number[]> {
      const target = [...acknowledged];
      const missing = () => target.filter((number) => !handled.has(number));
      await eventually(() => {
        if (missing().length > 0) throw new Error('acknowledged messages were not handled');
      }, limitMs).catch(() => undefined);
      return missing();
    },
    async stopPublishing(): Promise<void> {
      isStopped = true;
      await publishing;
    },
    stop: () => reading.stop(),
  };
}
