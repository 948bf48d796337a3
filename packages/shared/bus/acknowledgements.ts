import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** Deadlines are looked at so often: a quarter of a second late is nothing beside the seconds that they are away. */
const lookMs = 250;

interface Waiting {
  subject: string;
  deadline: number;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** Sends messages that are to be answered, many at once. */
export interface Acknowledgements {
  /** The answer; rejects as the client's request does: NoRespondersError, TimeoutError, ClosedConnectionError. */
  ask(subject: string, body: Uint8Array, options: { headers: MsgHdrs; timeoutMs: number }): Promise<Msg>;
}

/**
 * The answers to what is published, on one inbox. The client's own request makes an error with its stack for each answer that comes, which
 * is a tenth of what a process can publish in a second.
 */
export function createAcknowledgements(nc: NatsConnection): Acknowledgements {
  const inbox = createInbox();
  const waiting = new Map<string, Waiting>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;

  nc.subscribe(`${inbox}.*`, {
    callback: (_error, message) => {
      const token = message.subject.slice(inbox.length + 1);
      const asked = waiting.get(token);
      if (!asked) return;
      waiting.delete(token);
      const isNobody = message.data.length === 0 && message.headers?.code === 503;
      if (isNobody) asked.reject(new errors.NoRespondersError(asked.subject));
      else asked.resolve(message);
    },
  });
  nc.closed().then(giveUp, giveUp);

  function giveUp(): void {
    for (const { reject } of waiting.values()) reject(new errors.ClosedConnectionError());
    waiting.clear();
  }

  function look(): void {
    const now = performance.now();
    for (const [token, { deadline, reject }] of waiting) {
      if (deadline > now) continue;
      waiting.delete(token);
      reject(new errors.TimeoutError());
    }
    if (waiting.size > 0) return;
    clearInterval(timer ?? undefined);
    timer = null;
  }

  return {
    ask(subject, body, { headers, timeoutMs }) {
      count += 1;
      const token = String(count);
      return new Promise((resolve, reject) => {
        // Throws when the message is too large or the connection is closed: then nothing waits.
        nc.publish(subject, body, { reply: `${inbox}.${token}`, headers });
        waiting.set(token, { subject, deadline: performance.now() + timeoutMs, resolve, reject });
        timer ??= setInterval(look, lookMs);
      });
    },
  };
}
