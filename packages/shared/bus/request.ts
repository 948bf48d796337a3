import type { Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { RequestContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';
import { headerAllowanceBytes, headerNames, headerOf, requestHeaders } from './headers.ts';
import { inflatePiece, itemsOf } from './items.ts';
import { decodeBody, decodeRefusal, encodeBody } from './wire.ts';

/** Implements `Bus.request`. */
export async function request<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): Promise<z.output<C['output']>> {
  const { subject, body, headers, remainingMs } = prepareRequest(connection, contract, input, context, 'one');
  let reply: Msg;
  try {
    reply = await connection.answersOf(contract.service).request(subject, body, { timeoutMs: remainingMs, headers });
  } catch (error) {
    throw requestFailure(contract, error);
  }
  return readAnswer(contract, reply);
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
  replies: RequestContract['replies'],
): { subject: string; body: Uint8Array; headers: ReturnType<typeof requestHeaders>; remainingMs: number } {
  if (contract.replies !== replies) {
    throw new AppError(
      'internal',
      `${contract.name} has replies '${contract.replies}', and was requested with '${replies}'.`,
    );
  }
  connection.requireConnected();
  const remainingMs = context.deadline - Date.now();
  if (remainingMs < 1) {
    throw new AppError(
      'timeout',
      `The deadline passed before the request to ${contract.service} was sent; nothing was done.`,
    );
  }
  const headers = requestHeaders(context, remainingMs);
  const body = encodeBody(input);
  // The actor is the only header without a small limit. It is ASCII, so its length is its size in bytes.
  const length = body.length + (headers.get(headerNames.actor)?.length ?? 0) + headerAllowanceBytes;
  const limit = connection.nc.info?.max_payload;
  if (limit !== undefined && length > limit) {
    throw new AppError('content-too-large', `The request is larger than the ${limit} bytes that a message may have.`);
  }
  return { subject: connection.names.subject(`rpc.${contract.name}`), body, headers, remainingMs };
}

/** Maps an error of the client to an AppError for the caller. */
export function requestFailure(contract: RequestContract, error: unknown): AppError {
  if (error instanceof AppError) return error;
  switch (failureOf(error)) {
    case 'no-responders':
      return unavailable(`The ${contract.service} service is not available.`, error);
    case 'timeout':
      return outcomeUnknown(contract, error);
    case 'closed':
      return unavailable('This process is stopping and sends no more requests.', error);
    case 'too-large':
      return new AppError('content-too-large', 'The request is larger than a message may be.', { cause: error });
    case 'denied':
      return new AppError('internal', `The user of NATS_URL may not send ${contract.name}.`, { cause: error });
    default:
      return new AppError('internal', `The request to the ${contract.service} service failed.`, { cause: error });
  }
}

/** The error when the deadline passes after the request was sent. */
export function outcomeUnknown(contract: RequestContract, cause?: unknown): AppError {
  return new AppError('timeout', `The ${contract.service} service did not answer in time; the outcome is unknown.`, {
    cause,
  });
}

/** Returns the output of a reply. Throws the error in it, or `internal` when the output does not fit the contract. */
export function readAnswer<C extends RequestContract>(contract: C, reply: Msg): z.output<C['output']> {
  if (headerOf(reply.headers, headerNames.error) !== null) throw decodeRefusal(reply.data);
  const output = contract.output.safeParse(bodyOf(contract, reply));
  if (output.success) return output.data as z.output<C['output']>;
  throw nonconforming(contract, output.error);
}

/** Returns the items of a reply that is one list, unread. Throws the error in it, or `internal` when it is no list. */
export function readItems(contract: RequestContract, reply: Msg): Uint8Array {
  if (headerOf(reply.headers, headerNames.error) !== null) throw decodeRefusal(reply.data);
  const items = itemsOf(contract, dataOf(reply));
  if (items === undefined) throw nonconforming(contract);
  return items;
}

function nonconforming({ name, service }: RequestContract, cause?: unknown): AppError {
  return new AppError('internal', `The answer of the ${service} service to ${name} does not conform to the contract.`, {
    cause,
  });
}

function dataOf({ headers, data }: Msg): Uint8Array {
  return headerOf(headers, headerNames.encoding) === null ? data : inflatePiece(data);
}

function bodyOf(contract: RequestContract, reply: Msg): unknown {
  try {
    return decodeBody(dataOf(reply));
  } catch (error) {
    throw new AppError(
      'internal',
      `The answer to ${contract.name} is not JSON, so it is not from the ${contract.service} service.`,
      {
        cause: error,
      },
    );
  }
}
