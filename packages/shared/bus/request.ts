import type { Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import { tracer } from '../telemetry/index.ts';
import type { RequestContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { requestFailure } from './failures.ts';
import { type Accepted, inflateFrame, itemsOf, joinOutputs } from './frames.ts';
import { headerAllowanceBytes, headerNames, headerOf, requestHeaders } from './headers.ts';
import { receiveFrames } from './receive-frames.ts';
import type { Rest } from './reply-inbox.ts';
import { traceRequest } from './spans.ts';
import { decodeBody, decodeRefusal, encodeBody } from './wire.ts';

/** Implements `Bus.request`. */
export async function request<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): Promise<z.output<C['output']>> {
  const { first, rest } = await begin(connection, contract, input, context, 'frames');
  if (!rest) return readOutput(contract, first);
  const frames = receiveFrames(connection, contract, { first, rest }, context);
  const outputs = (await Array.fromAsync(readOutputs(contract, frames))) as Record<string, unknown>[];
  const [only, second] = outputs;
  if (only && !second) return only as z.output<C['output']>;
  const joined = joinOutputs(contract, outputs);
  return (outputs.length === 0 ? parseOutput(contract, joined) : joined) as z.output<C['output']>;
}

/** Implements `Bus.requestParts`. */
export async function* requestParts<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): AsyncGenerator<z.output<C['output']>, void, undefined> {
  const patienceMs = context.deadline - Date.now();
  const { first, rest } = await begin(connection, contract, input, context, 'frames');
  if (!rest) return yield readOutput(contract, first);
  const { deadline } = context;
  yield* readOutputs(contract, receiveFrames(connection, contract, { first, rest }, { deadline, patienceMs }));
}

/** The output of each frame. Frames of bytes are one output, which follows the last of them. */
async function* readOutputs<C extends RequestContract>(
  contract: C,
  frames: AsyncIterable<Msg>,
): AsyncGenerator<z.output<C['output']>, void, undefined> {
  const cut: Uint8Array[] = [];
  for await (const frame of frames) {
    if (headerOf(frame.headers, headerNames.cut) !== null) cut.push(dataOf(frame));
    else yield readOutput(contract, frame);
  }
  if (cut.length > 0) yield parseOutput(contract, bodyOf(contract, Buffer.concat(cut)));
}

/** Implements `Bus.requestItems`. */
export async function* requestItems<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  const patienceMs = context.deadline - Date.now();
  const { first, rest } = await begin(connection, contract, input, context, 'items');
  if (!rest) return yield readItems(contract, first);
  const { deadline } = context;
  const frames = receiveFrames(connection, contract, { first, rest }, { deadline, patienceMs });
  for await (const frame of frames) yield readItems(contract, frame);
}

/** The first message of an answer, and `rest` if it is in frames. */
interface Begun {
  first: Msg;
  rest: Rest | null;
}

/** Sends a request. Returns the beginning of its answer. */
function begin(
  connection: Connection,
  contract: RequestContract,
  input: unknown,
  context: RequestContext,
  accept: Accepted,
): Promise<Begun> {
  if (tracer === null || context.traceparent === null) return send(connection, contract, input, context, accept);
  return traceRequest(tracer, contract, context.traceparent, (traceparent) =>
    send(connection, contract, input, { ...context, traceparent }, accept),
  );
}

async function send(
  connection: Connection,
  contract: RequestContract,
  input: unknown,
  context: RequestContext,
  accept: Accepted,
): Promise<Begun> {
  const { subject, body, headers, remainingMs } = prepareRequest(connection, contract, input, context, accept);
  const answers = connection.replyInboxOf(contract.service);
  try {
    const first = await answers.request(subject, body, { timeoutMs: remainingMs, headers });
    return { first, rest: first.reply ? answers.rest(first) : null };
  } catch (error) {
    throw requestFailure(contract, error);
  }
}

/**
 * Builds the message of a request. Throws before anything is sent: `unavailable` without a connection, `timeout` after
 * the deadline, `content-too-large` when the input does not fit.
 *
 * Without a connection the client would keep the message and send it after the reconnect, long after its caller got an
 * error. If the connection is lost after this check, the deadline in the headers stops the late request.
 */
export function prepareRequest(
  connection: Connection,
  contract: RequestContract,
  input: unknown,
  context: RequestContext,
  accept: Accepted,
): { subject: string; body: Uint8Array; headers: ReturnType<typeof requestHeaders>; remainingMs: number } {
  connection.requireConnected();
  const remainingMs = context.deadline - Date.now();
  if (remainingMs < 1) {
    throw new AppError(
      'timeout',
      `The deadline passed before the request to ${contract.service} was sent; nothing was done.`,
    );
  }
  const headers = requestHeaders(context, remainingMs, accept);
  const body = encodeBody(input);
  // The actor is the only header without a small limit. It is ASCII, so its length is its size in bytes.
  const length = body.length + (headers.get(headerNames.actor)?.length ?? 0) + headerAllowanceBytes;
  const limit = connection.nc.info?.max_payload;
  if (limit !== undefined && length > limit) {
    throw new AppError('content-too-large', `The request is larger than the ${limit} bytes that a message may have.`);
  }
  return { subject: connection.names.subject(`rpc.${contract.name}`), body, headers, remainingMs };
}

/** Returns the output in a message. Throws the error in it, or `internal` when it does not fit the contract. */
export function readOutput<C extends RequestContract>(contract: C, reply: Msg): z.output<C['output']> {
  throwRefusal(reply);
  return parseOutput(contract, bodyOf(contract, dataOf(reply)));
}

/** Returns the items in a message that is one list, unread. Throws its error, or `internal` when it is no list. */
function readItems(contract: RequestContract, reply: Msg): Uint8Array {
  throwRefusal(reply);
  const items = itemsOf(contract, dataOf(reply));
  if (items === undefined) throw nonconforming(contract);
  return items;
}

function throwRefusal({ headers, data }: Msg): void {
  if (headerOf(headers, headerNames.error) !== null) throw decodeRefusal(data);
}

function parseOutput<C extends RequestContract>(contract: C, body: unknown): z.output<C['output']> {
  const output = contract.output.safeParse(body);
  if (output.success) return output.data as z.output<C['output']>;
  throw nonconforming(contract, output.error);
}

function nonconforming({ name, service }: RequestContract, cause?: unknown): AppError {
  return new AppError('internal', `The answer of the ${service} service to ${name} does not conform to the contract.`, {
    cause,
  });
}

function dataOf({ headers, data }: Msg): Uint8Array {
  return headerOf(headers, headerNames.encoding) === null ? data : inflateFrame(data);
}

function bodyOf(contract: RequestContract, data: Uint8Array): unknown {
  try {
    return decodeBody(data);
  } catch (error) {
    throw new AppError(
      'internal',
      `The answer to ${contract.name} is not JSON, so it is not from the ${contract.service} service.`,
      { cause: error },
    );
  }
}
