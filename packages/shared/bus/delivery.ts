import { type Msg, type MsgHdrs, nanos } from '@nats-io/transport-node';
import type { StreamContract } from '../contracts/streams.ts';
import type { BusMessage } from './bus.ts';
import { allHeaders, headerNames, headerOf } from './headers.ts';
import type { Names } from './subjects.ts';
import { decodeBody } from './wire.ts';

/** A message that a consumer received, with its possible acknowledgements. */
export interface Delivery {
  message: BusMessage;
  /** The server numbers the deliveries of a consumer without gaps. */
  deliverySequence: number;
  /** The number of messages that the consumer has after this one. */
  pending: number;
  acknowledge(): void;
  /** Asks for a redelivery, after the delay if there is one. */
  nak(delayMs?: number): void;
  /** Ends the redelivery of the message. */
  deadLetter(): void;
  extendAckWait(): void;
}

/**
 * Reads a delivery of the stream. Its reply subject has the numbers:
 * `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<count>.<sequence>.<delivery>.<time>.<pending>`.
 */
export function readDelivery(raw: Msg, stream: StreamContract, names: Names): Delivery {
  const tokens = (raw.reply ?? '').split('.');
  const [count, sequence, deliverySequence, timeNanos, pending] = tokens.slice(tokens.length === 9 ? 4 : 6).map(Number);
  const answer = (text: string): void => {
    try {
      raw.respond(text);
    } catch {
      // The connection is closed. The server redelivers the message after the acknowledgement wait.
    }
  };
  return {
    message: {
      ...readMessage(raw, stream, names),
      sequence: sequence ?? 0,
      deliveryCount: count ?? 1,
      publishedAt: new Date(Math.floor((timeNanos ?? 0) / 1e6)),
    },
    deliverySequence: deliverySequence ?? 0,
    pending: pending ?? 0,
    acknowledge: () => answer('+ACK'),
    nak: (delayMs) => answer(delayMs ? `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}` : '-NAK'),
    // Without a reason: servers before 2.10 do not support one.
    deadLetter: () => answer('+TERM'),
    extendAckWait: () => answer('+WPI'),
  };
}

/** What a message of the stream contains. */
export function readMessage(
  { subject, headers, data }: { subject: string; headers?: MsgHdrs | undefined; data: Uint8Array },
  stream: StreamContract,
  names: Names,
): Pick<BusMessage, 'subject' | 'payload' | 'msgId' | 'headers' | 'traceparent'> {
  return {
    subject: names.plainSubject(subject),
    payload: isOfStream(subject, stream, names) ? payloadOf(data) : `a message of ${subject}`,
    msgId: headerOf(headers, headerNames.msgId),
    headers: allHeaders(headers),
    traceparent: headerOf(headers, headerNames.traceparent),
  };
}

/**
 * A user of JetStream can have it store a message in a stream to which the user may not publish. The message keeps the
 * subject under which it was published. So its payload is not read, and the schema of the handler refuses it.
 */
function isOfStream(subject: string, { subjects }: StreamContract, names: Names): boolean {
  return subjects.some((own) => subject.startsWith(names.subject(own.slice(0, -1))));
}

function payloadOf(data: Uint8Array): unknown {
  try {
    return decodeBody(data);
  } catch {
    // The schema of the handler refuses the text and names it in the reason.
    return Buffer.from(data).toString('utf8');
  }
}
