import type { Bus, BusMessage } from '@yardarm/shared/bus';

export interface Incarnations {
  /** The incarnation of SIGNALS that the message was published to; null for one that this process has not seen. */
  of(message: Pick<BusMessage, 'publishedAt'>): Promise<string | null>;
  stop(): void;
}

/**
 * Finds the incarnation of a message of SIGNALS, which the message itself does not carry: the newest known one that was
 * created before the message was published. The clock of the NATS server sets both times.
 *
 * A message of a lost incarnation never gets a later one. The bus reports a recreated stream within seconds. A message
 * of the new one that is handled before may get the incarnation before it. Only a reader that finds the new stream
 * without the message would miss the row.
 */
export function trackIncarnations(bus: Bus): Incarnations {
  /** The incarnations that are known, the newest one first. */
  const known: string[] = [];
  const stop = bus.onStreamRecreated('SIGNALS', (incarnation) => void known.unshift(incarnation));
  return {
    async of({ publishedAt }) {
      if (known.length === 0) known.push((await bus.streamInfo('SIGNALS')).incarnation);
      // Both in whole milliseconds, as `publishedAt` is.
      return known.find((incarnation) => Math.floor(Date.parse(incarnation)) <= publishedAt.getTime()) ?? null;
    },
    stop,
  };
}
