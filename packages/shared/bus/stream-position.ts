/**
 * Up to where a reader has handled a stream, or up to where a stream reaches.
 *
 * 1. A sequence has a meaning only within its incarnation. A stream that is created again counts from one again.
 * 2. A stream that ends before a position has lost its newest messages, in a crash of the server, and gives their
 *    sequences to other messages. The position is lost, as one of another incarnation is.
 * 3. The reader of a lost position begins at the first message. It reads messages that it has handled before, so a
 *    constraint of its database decides what is new.
 * 4. The limits of a stream drop its oldest messages. A reader before the first message continues with it, and has to
 *    find what was dropped elsewhere.
 * 5. A stored position moves in the transaction of what was handled, and only from the expected position. Of two
 *    readers of the same messages one fails.
 * 6. A position is read before the stream that it is compared with. In the other order the stream may have grown
 *    meanwhile, and seems to end before the position.
 */
export interface StreamPosition {
  /** Null before the first message. */
  incarnation: string | null;
  /** 0 before the first message. */
  lastSequence: number;
}

export interface StreamRange extends StreamPosition {
  /** One more than `lastSequence` when the stream has no message any more. */
  firstSequence: number;
}

export const beginning: StreamPosition = { incarnation: null, lastSequence: 0 };

export function isSamePosition(one: StreamPosition, other: StreamPosition): boolean {
  return one.incarnation === other.incarnation && one.lastSequence === other.lastSequence;
}

export function isBeyondEnd(position: StreamPosition, stream: StreamPosition): boolean {
  return position.incarnation === stream.incarnation && position.lastSequence > stream.lastSequence;
}

/** Whether the stream cannot continue the position, because it is another stream or has lost its newest messages. */
export function isLost(position: StreamPosition, stream: StreamPosition): boolean {
  return position.incarnation !== stream.incarnation || isBeyondEnd(position, stream);
}

/** The sequence of the stream behind which a reader of the position continues. */
export function sequenceIn(position: StreamPosition, stream: StreamPosition): number {
  return isLost(position, stream) ? 0 : position.lastSequence;
}

/** Whether everything up to the end is handled. The stream may have grown behind this end, so rule 2 does not apply. */
export function hasReached(position: StreamPosition, end: StreamPosition): boolean {
  return position.incarnation === end.incarnation && position.lastSequence >= end.lastSequence;
}

/** How many messages behind the position the stream has dropped. */
export function countDropped(
  { incarnation, lastSequence }: StreamPosition,
  stream: Pick<StreamRange, 'incarnation' | 'firstSequence'>,
): number {
  return incarnation === stream.incarnation ? Math.max(0, stream.firstSequence - 1 - lastSequence) : 0;
}

/** The last sequence of the stream that a reader of the position does not read any more. Dropped ones count. */
export function handledIn(position: StreamPosition, stream: StreamRange): number {
  return Math.max(sequenceIn(position, stream), stream.firstSequence - 1);
}

/** How many messages a reader of the position has still to read. */
export function countBehind(position: StreamPosition, stream: StreamRange): number {
  return Math.max(0, stream.lastSequence - handledIn(position, stream));
}
