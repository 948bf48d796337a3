import type { Msg } from '@nats-io/transport-node';
import type { RequestContract } from '../contracts/contract.ts';
import { TimeSlicer } from '../waiting/index.ts';
import type { Connection } from './connection.ts';
import { outcomeUnknown, requestFailure } from './failures.ts';
import { stopMessage } from './frames.ts';
import { headerNames, headerOf } from './headers.ts';
import { serviceOfInbox } from './inboxes.ts';
import type { Rest } from './reply-inbox.ts';

/**
 * Yields the messages of an answer in frames, and at last its error if it has one. `first` is its first message. A lost
 * frame, or none until the deadline, is a `timeout`. A caller that leaves the loop stops the service. With `patienceMs`
 * each later frame has as long, counted from the moment when the caller asks for it.
 */
export async function* receiveFrames(
  connection: Connection,
  contract: RequestContract,
  { first, rest }: { first: Msg; rest: Rest },
  { deadline, patienceMs }: { deadline: number; patienceMs?: number },
): AsyncGenerator<Msg, void, undefined> {
  const { nc } = connection;
  let control: string | undefined;
  // Its caller decodes a frame in some milliseconds, and the frames of many answers may be there.
  const slicer = new TimeSlicer({ deadline: Number.POSITIVE_INFINITY });
  let isOver = false;
  let until = deadline;
  try {
    for (let expected = 1; ; expected += 1) {
      const message = expected === 1 ? first : await rest.next(until);
      // Only an inbox of that service: the number must not become a message elsewhere.
      const isControl =
        serviceOfInbox(message.reply ?? '', connection.name, connection.names.subject) === contract.service;
      if (isControl) control = message.reply;
      const total = headerOf(message.headers, headerNames.frames);
      const number = total === null ? headerOf(message.headers, headerNames.frame) : String(Number(total) + 1);
      // An error may come at any point and has no number. Any other unexpected number means that a frame was lost.
      if (number !== null && Number(number) !== expected) throw outcomeUnknown(contract);
      if (total !== null || headerOf(message.headers, headerNames.error) !== null) isOver = true;
      if (total !== null) return;
      await slicer.next();
      yield message;
      if (patienceMs !== undefined) until = Date.now() + patienceMs;
      if (control !== undefined) nc.publish(control, String(expected));
    }
  } catch (error) {
    throw requestFailure(contract, error);
  } finally {
    rest.close();
    if (!nc.isClosed() && !isOver && control !== undefined && connection.isConnected()) {
      nc.publish(control, stopMessage);
    }
  }
}
