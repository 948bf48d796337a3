import type { Msg } from '@nats-io/transport-node';
import type { RequestContract } from '../contracts/contract.ts';
import { AppError } from '../errors/index.ts';
import { WakeUp } from '../waiting/index.ts';
import type { ServedContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failures.ts';
import { Frame, frameWindow, stopMessage } from './frames.ts';
import { headerNames, makeHeaders } from './headers.ts';
import { inboxesOf, serviceOfInbox } from './inboxes.ts';
import { encodeBody } from './wire.ts';

/** Returns false when the body is larger than a message may be. Throws when the connection is closed. */
export function send(message: Msg, body: Uint8Array, values: Record<string, string> = {}, reply?: string): boolean {
  try {
    message.respond(body, { headers: makeHeaders(values), ...(reply === undefined ? {} : { reply }) });
    return true;
  } catch (error) {
    if (failureOf(error) === 'too-large') return false;
    throw error;
  }
}

/** Sends an answer in frames (frames.ts). An output that is no frame yet has been checked. */
export async function sendFrames(
  connection: Connection,
  contract: RequestContract,
  frames: AsyncIterable<unknown> | Iterable<unknown>,
  context: ServedContext,
  message: Msg,
): Promise<void> {
  const { names } = connection;
  const caller = serviceOfInbox(message.reply ?? '', contract.service, names.subject) ?? '';
  const control = inboxesOf(contract.service, names.subject).from(caller);
  const patienceMs = context.deadline - Date.now();
  let { deadline } = context;
  let acknowledged = 0;
  let isStopped = false;
  const wakeUp = new WakeUp();
  const subscription = connection.nc.subscribe(control, {
    callback: (error, reply) => {
      if (error || reply.string() === stopMessage) isStopped = true;
      else acknowledged = Math.max(acknowledged, Number(reply.string()) || 0);
      deadline = Date.now() + patienceMs;
      wakeUp.wake();
    },
  });
  const isOver = () => isStopped || Date.now() >= deadline;
  let sent = 0;
  try {
    for await (const frame of frames) {
      while (sent - acknowledged >= frameWindow && !isOver()) await wakeUp.wait(Math.max(0, deadline - Date.now()));
      if (isOver()) return;
      sent += 1;
      const isFrame = frame instanceof Frame;
      const values = {
        [headerNames.frame]: String(sent),
        ...(isFrame && { [headerNames.encoding]: 'deflate' }),
        ...(isFrame && frame.isCut && { [headerNames.cut]: 'bytes' }),
      };
      if (!send(message, isFrame ? frame.deflated : encodeBody(frame), values, control)) {
        throw new AppError('internal', `Frame ${sent} of ${contract.name} is larger than a message may be.`);
      }
    }
    send(message, encodeBody(undefined), { [headerNames.frames]: String(sent) }, control);
  } finally {
    if (!connection.nc.isClosed()) subscription.unsubscribe();
  }
}
