import { errors, type Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import type { RequestContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { headerNames, headerOf } from './headers.ts';
import { ownerOf } from './inboxes.ts';
import { outcomeUnknown, prepareRequest, readAnswer, readItems, requestFailure } from './request.ts';

/**
 * The protocol of an answer in pieces. The server sends the pieces to the caller's inbox, numbered from 1, each with a
 * reply subject. The caller sends the number of handled pieces there. The server is at most `pieceWindow` pieces ahead,
 * which bounds the buffers of both sides and of NATS. The last message has the number of pieces and no piece. The
 * server ends the answer on `stop`, and when nothing was handled for as long as the request had until its deadline.
 */
export const pieceWindow = 4;
export const stopMessage = 'stop';

/** Implements `Bus.requestMany`. */
export function requestMany<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): AsyncGenerator<z.output<C['output']>, void, undefined> {
  return piecesOf(connection, contract, input, context, readAnswer, { isRenewed: false });
}

/** Implements `Bus.requestItems`. */
export function requestItems<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  return piecesOf(connection, contract, input, context, readItems, { isRenewed: true });
}

/** With `isRenewed`, each piece has as long as the first one: the caller may take any time over the whole answer. */
async function* piecesOf<C extends RequestContract, Piece>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
  read: (contract: C, message: Msg) => Piece,
  { isRenewed }: { isRenewed: boolean },
): AsyncGenerator<Piece, void, undefined> {
  let { deadline } = context;
  const patienceMs = deadline - Date.now();
  const { subject, body, headers } = prepareRequest(connection, contract, input, context, 'many');
  const { nc } = connection;
  const arrived: Msg[] = [];
  let failure: Error | null = null;
  let wake = (): void => {};
  const inbox = connection.inboxes.from(contract.service);
  const subscription = nc.subscribe(inbox, {
    callback: (error, message) => {
      if (error) failure = error;
      else if (message.data.length === 0 && message.headers?.code === 503)
        failure = new errors.NoRespondersError(subject);
      else arrived.push(message);
      wake();
    },
  });
  const stopListening = connection.onDenied((denied) => {
    if (denied.subject !== subject) return;
    failure = denied;
    wake();
  });
  const next = async (): Promise<Msg> => {
    for (;;) {
      const message = arrived.shift();
      if (message) return message;
      if (failure) throw requestFailure(contract, failure);
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0) throw outcomeUnknown(contract);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, remainingMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };

  let control: string | undefined;
  let isOver = false;
  try {
    nc.publish(subject, body, { reply: inbox, headers });
    for (let expected = 1; ; expected += 1) {
      const message = await next();
      // Only an inbox of that service: the number must not become a message elsewhere.
      const isControl = ownerOf(message.reply ?? '', connection.name, connection.names.subject) === contract.service;
      if (isControl) control = message.reply;
      const total = headerOf(message.headers, headerNames.pieces);
      const number = total === null ? headerOf(message.headers, headerNames.piece) : String(Number(total) + 1);
      // An error may come at any point and has no number. Any other unexpected number means that a piece was lost.
      if (number !== null && Number(number) !== expected) throw outcomeUnknown(contract);
      if (total !== null || headerOf(message.headers, headerNames.error) !== null) isOver = true;
      if (total !== null) return;
      yield read(contract, message);
      if (isRenewed) deadline = Date.now() + patienceMs;
      if (control !== undefined) nc.publish(control, String(expected));
    }
  } catch (error) {
    throw requestFailure(contract, error);
  } finally {
    stopListening();
    if (!nc.isClosed()) {
      subscription.unsubscribe();
      if (!isOver && control !== undefined && connection.isConnected()) nc.publish(control, stopMessage);
    }
  }
}
