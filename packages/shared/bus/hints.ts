import type { z } from 'zod';
import type { HintContract } from '../contracts/contract.ts';
import { coerceError } from '../errors/index.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failures.ts';
import { decodeBody, encodeBody } from './wire.ts';

/** Sends a hint. Errors are only logged, since a poll finds the same later. */
export function sendHint<C extends HintContract>(
  connection: Connection,
  contract: C,
  payload: z.input<C['payload']>,
): void {
  // The client would buffer the hint until the reconnect, when the listeners have polled already.
  if (!connection.isConnected() || connection.nc.isClosed()) return;
  try {
    connection.nc.publish(
      connection.names.subject(`hint.${contract.name}`),
      encodeBody(contract.payload.parse(payload)),
    );
  } catch (error) {
    connection.log.error({ err: coerceError(error), hint: contract.name }, 'a hint could not be sent');
  }
}

/** Calls the handler for every hint, in each replica. */
export function onHint<C extends HintContract>(
  connection: Connection,
  contract: C,
  handler: (payload: z.output<C['payload']>) => void,
): void {
  const subject = connection.names.subject(`hint.${contract.name}`);
  connection.nc.subscribe(subject, {
    callback: (error, message) => {
      try {
        // One line has all refused subscriptions (denials.ts).
        if (error && failureOf(error) === 'denied') return;
        if (error) throw error;
        // A stored message that another service directed here keeps its subject.
        if (message.subject !== subject) return;
        handler(contract.payload.parse(decodeBody(message.data)) as z.output<C['payload']>);
      } catch (thrown) {
        connection.log.error({ err: coerceError(thrown), hint: contract.name }, 'a hint could not be handled');
      }
    },
  });
}
