import { AppError } from '../errors/index.ts';
import { tracer } from '../telemetry/index.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';
import { headerNames, makeHeaders } from './headers.ts';
import type { ReplyInbox } from './reply-inbox.ts';
import { tracePublish } from './spans.ts';
import { decodeBody, encodeBody } from './wire.ts';

/** A healthy stream acknowledges within milliseconds, one with an overloaded disk within a second or two. */
const publishTimeoutMs = 5_000;

interface Acknowledgement {
  stream?: string;
  seq?: number;
  duplicate?: boolean;
  error?: { code: number; err_code?: number; description?: string };
}

interface PublishOptions {
  msgId: string;
  traceparent?: string | null;
  headers?: Record<string, string>;
}

/** Implements `Bus.publish`. */
export function publish(
  connection: Connection,
  acknowledgements: ReplyInbox,
  subject: string,
  payload: unknown,
  options: PublishOptions,
): Promise<{ sequence: number; duplicate: boolean }> {
  const { msgId, traceparent: parent } = options;
  if (tracer === null || !parent) return send(connection, acknowledgements, subject, payload, options);
  return tracePublish(tracer, { subject, msgId, parent }, (traceparent) =>
    send(connection, acknowledgements, subject, payload, { ...options, traceparent }),
  );
}

async function send(
  connection: Connection,
  acknowledgements: ReplyInbox,
  subject: string,
  payload: unknown,
  options: PublishOptions,
): Promise<{ sequence: number; duplicate: boolean }> {
  connection.requireConnected();
  const headers = makeHeaders({
    ...options.headers,
    [headerNames.msgId]: options.msgId,
    [headerNames.traceparent]: options.traceparent,
  });
  let acknowledgement: Acknowledgement;
  try {
    const reply = await acknowledgements.request(connection.names.subject(subject), encodeBody(payload), {
      timeoutMs: publishTimeoutMs,
      headers,
    });
    acknowledgement = decodeBody(reply.data) as Acknowledgement;
  } catch (error) {
    throw publishFailure(subject, error);
  }
  const { error, stream, seq, duplicate } = acknowledgement ?? {};
  if (error) throw unavailable(`The stream refused a message on ${subject}: ${error.description ?? error.code}.`);
  if (!stream || seq === undefined)
    throw unavailable(`The answer to a message on ${subject} did not come from a stream.`);
  return { sequence: seq, duplicate: duplicate === true };
}

function publishFailure(subject: string, error: unknown): AppError {
  switch (failureOf(error)) {
    case 'no-responders':
      return unavailable(
        `No stream has the subject ${subject}: the stream is missing, or JetStream is not available.`,
        error,
      );
    case 'timeout':
      return new AppError(
        'timeout',
        `The stream did not acknowledge a message on ${subject}; whether it is stored is unknown.`,
        {
          cause: error,
        },
      );
    case 'too-large':
      return new AppError('content-too-large', `A message on ${subject} is larger than the server accepts.`, {
        cause: error,
      });
    case 'denied':
      return unavailable(`The user of NATS_URL may not publish to ${subject}.`, error);
    default:
      return unavailable(`A message on ${subject} could not be published.`, error);
  }
}
