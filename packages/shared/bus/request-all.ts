import type { Msg, PermissionViolationError } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { RequestContract } from '../contracts/contract.ts';
import { coerceError } from '../errors/index.ts';
import type { RequestContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { requestFailure } from './failures.ts';
import { prepareRequest, readOutput } from './request.ts';

/**
 * Implements `Bus.requestAll`. How many replicas there are is not known, so it waits for the whole time, unless the
 * server says that there is none.
 */
export async function requestAll<C extends RequestContract>(
  connection: Connection,
  contract: C,
  input: z.input<C['input']>,
  context: RequestContext,
): Promise<z.output<C['output']>[]> {
  const { subject, body, headers, remainingMs } = prepareRequest(connection, contract, input, context, 'frames');
  const { nc, log } = connection;
  const answers: z.output<C['output']>[] = [];
  const reply = connection.inboxes.from(contract.service);
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  const take = (message: Msg): void => {
    const hasNoResponders = message.data.length === 0 && message.headers?.code === 503;
    if (hasNoResponders) resolve();
    else answers.push(readOutput(contract, message));
  };
  const subscription = nc.subscribe(reply, {
    callback(error, message) {
      try {
        if (error) throw error;
        take(message);
      } catch (thrown) {
        // The other replicas may answer.
        log.warn({ err: coerceError(thrown), contract: contract.name }, 'a replica did not answer a request');
      }
    },
  });
  const removeListener = connection.onDenied((denied: PermissionViolationError) => {
    if (denied.subject === subject) reject(requestFailure(contract, denied));
  });
  const timer = setTimeout(resolve, remainingMs);
  try {
    nc.publish(subject, body, { reply, headers });
    await connection.whileConnected(ended);
    return answers;
  } finally {
    clearTimeout(timer);
    removeListener();
    if (!nc.isClosed()) subscription.unsubscribe();
  }
}
