import type { z } from 'zod';
import type { HintContract } from '../contracts/contract.ts';
import { coerceError } from '../errors/index.ts';
import type { Connection } from './connection.ts';
import { decodeBody, encodeBody } from './wire.ts';

/** Sends a hint; whatever goes wrong is at most a line in the log, since a slower truth stands behind every hint. */
export function sendHint<C extends HintContract>(
  connection: Connection,
  contract: C,
  payload: z.input<C['payload']>,
): void {
  // Kept by the client over a disconnect, it would arrive when everybody has long looked.
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

/** Hears every hint that arrives, in each replica. */
export function onHint<C extends HintContract>(
  connection: Connection,
  contract: C,
  handler: (payload: z.output<C['payload']>) => void,
): void {
  connection.nc.subscribe(connection.names.subject(`hint.${contract.name}`), {
    callback: (error, message) => {
      try {
        if (error) throw error;
        handler(contract.payload.parse(decodeBody(message.data)) as z.output<C['payload']>);
      } catch (thrown) {
        connection.log.error({ err: coerceError(thrown), hint: contract.name }, 'a hint could not be dealt with');
      }
    },
  });
}
