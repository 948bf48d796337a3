import { type Msg, nanos } from '@nats-io/transport-node';
import type { BusMessage } from './bus.ts';
import { allHeaders, headerNames, headerOf } from './headers.ts';
import type { Names } from './subjects.ts';
import { decodeBody } from './wire.ts';

/** A message of a stream as a consumer was given it, with the answers that it may be given. */
export interface Delivery {
  message: BusMessage;
  /** Rises by one with each message that the server gives out for the consumer. */
  deliverySequence: number;
  /** How many more the consumer has to come after this one. */
  pending: number;
  acknowledge(): void;
  /** Give it again, after the delay if there is one. */
  nak(delayMs?: number): void;
  /** Never give it again. */
  deadLetter(): void;
  /** Somebody is at it: the acknowledgement wait begins anew. */
  atWork(): void;
}

/** Reads a delivery; its reply subject tells of it: `$JS.ACK[.<domain>.<account>].<stream>.<consumer>.<count>.<sequence>.<delivery>.<time>.<pending>`. */
export function readDelivery(raw: Msg, names: Names): Delivery {
  const tokens = (raw.reply ?? '').split('.');
  const [count, sequence, deliverySequence, timeNanos, pending] = tokens.slice(tokens.length === 9 ? 4 : 6).map(Number);
  const answer = (text: string): void => {
    try {
      raw.respond(text);
    } catch {
      // The connection is closed: unanswered, the message is given to another after the acknowledgement wait.
    }
  };
  return {
    message: {
      subject: names.plainSubject(raw.subject),
      sequence: sequence ?? 0,
      payload: payloadOf(raw.data),
      msgId: headerOf(raw.headers, headerNames.msgId),
      headers: allHeaders(raw.headers),
      traceparent: headerOf(raw.headers, headerNames.traceparent),
      deliveryCount: count ?? 1,
      publishedAt: new Date(Math.floor((timeNanos ?? 0) / 1e6)),
    },
    deliverySequence: deliverySequence ?? 0,
    pending: pending ?? 0,
    acknowledge: () => answer('+ACK'),
    nak: (delayMs) => answer(delayMs ? `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}` : '-NAK'),
    // Without a reason behind it: servers before 2.10 do not know the longer form.
    deadLetter: () => answer('+TERM'),
    atWork: () => answer('+WPI'),
  };
}

function payloadOf(data: Uint8Array): unknown {
  try {
    return decodeBody(data);
  } catch {
    // Whoever handles it refuses it by its schema, with the text in the reason.
    return Buffer.from(data).toString('utf8');
  }
}
