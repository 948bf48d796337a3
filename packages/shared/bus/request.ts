import type { Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import type { RequestContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { failureOf, unavailable } from './failures.ts';
import { headerAllowanceBytes, headerNames, headerOf, requestHeaders } from './headers.ts';
import { decodeBody, decodeRefusal, encodeBody } from './wire.ts';

/** Asks for one answer; `Bus.request` says what it throws. */
export async function request<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): Promise<z.output<C['output']>> {
  const { subject, body, headers, remainingMs } = prepareRequest(connection, contract, input, context, 'one');
  let reply: Msg;
  try {
    reply = await connection.nc.request(subject, body, { timeout: remainingMs, headers });
  } catch (error) {
    throw requestFailure(contract, error);
  }
  return readAnswer(contract, reply);
}

/**
 * What a request is sent with. Throws before anything is sent: `unavailable` without a connection, `timeout` when the deadline is over,
 * `content-too-large` when the input does not fit.
 *
 * A client that has lost its connection would keep the message and send it after the reconnect, long after the caller was told that it failed:
 * hence the look at the connection. What is lost between that look and the socket is caught by the deadline that the message carries.
 */
export function prepareRequest(
  connection: Connection,
  contract: RequestContract,
  input: unknown,
  context: RequestContext,
  replies: RequestContract['replies'],
): { subject: string; body: Uint8Array; headers: ReturnType<typeof requestHeaders>; remainingMs: number } {
  if (contract.replies !== replies) {
    throw new AppError('internal', `${contract.name} is answered in ${contract.replies}, and asked for in ${replies}.`);
  }
  connection.requireConnected();
  const remainingMs = context.deadline - Date.now();
  if (remainingMs < 1) {
    throw new AppError('timeout', `The deadline was over before ${contract.service} was asked; nothing was done.`);
  }
  const headers = requestHeaders(context, remainingMs);
  const body = encodeBody(input);
  // The actor's grants are the only header of any length, in ASCII: its letters are its bytes.
  const length = body.length + (headers.get(headerNames.actor)?.length ?? 0) + headerAllowanceBytes;
  const limit = connection.nc.info?.max_payload;
  if (limit !== undefined && length > limit) {
    throw new AppError('content-too-large', `The request is larger than the ${limit} bytes that a message may have.`);
  }
  return { subject: connection.names.subject(`rpc.${contract.name}`), body, headers, remainingMs };
}

/** What went wrong on the way, in words for the caller. */
export function requestFailure(contract: RequestContract, error: unknown): AppError {
  if (error instanceof AppError) return error;
  switch (failureOf(error)) {
    case 'nobody':
      return unavailable(`The ${contract.service} service is not available.`, error);
    case 'silence':
      return outcomeUnknown(contract, error);
    case 'closed':
      return unavailable('This process is stopping and asks nobody any more.', error);
    case 'too-large':
      return new AppError('content-too-large', 'The request is larger than a message may be.', { cause: error });
    default:
      return new AppError('internal', `The ${contract.service} service could not be asked.`, { cause: error });
  }
}

/** A deadline that passed after the request was sent. */
export function outcomeUnknown(contract: RequestContract, cause?: unknown): AppError {
  return new AppError(
    'timeout',
    `The ${contract.service} service did not answer in time; whether it did what was asked is unknown.`,
    { cause },
  );
}

/** The output in a reply; throws the refusal in it, `internal` when the output is not the contract's. */
export function readAnswer<C extends RequestContract>(contract: C, reply: Msg): z.output<C['output']> {
  if (headerOf(reply.headers, headerNames.error) !== null) throw decodeRefusal(reply.data);
  const output = contract.output.safeParse(bodyOf(contract, reply));
  if (output.success) return output.data as z.output<C['output']>;
  throw new AppError(
    'internal',
    `The ${contract.service} service answered ${contract.name} in another shape than agreed.`,
    {
      cause: output.error,
    },
  );
}

function bodyOf(contract: RequestContract, reply: Msg): unknown {
  try {
    return decodeBody(reply.data);
  } catch (error) {
    throw new AppError('internal', `Something that is not the ${contract.service} service answered ${contract.name}.`, {
      cause: error,
    });
  }
}
