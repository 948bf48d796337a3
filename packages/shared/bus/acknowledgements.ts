import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';

/** Timeouts are seconds long, so a delay of a quarter of a second does not matter. */
const checkIntervalMs = 250;

interface Pending {
  subject: string;
  deadline: number;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** Requests whose answers arrive on one inbox. */
export interface Acknowledgements {
  /** Rejects like the client's request: NoRespondersError, TimeoutError, ClosedConnectionError. */
  request(subject: string, body: Uint8Array, options: { headers: MsgHdrs; timeoutMs: number }): Promise<Msg>;
}

/** The client's own request makes an error with a stack for each answer, which costs a tenth of the publish rate. */
export function createAcknowledgements(nc: NatsConnection): Acknowledgements {
  const inbox = createInbox();
  const pending = new Map<string, Pending>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;

  nc.subscribe(`${inbox}.*`, {
    callback: (_error, message) => {
      const token = message.subject.slice(inbox.length + 1);
      const request = pending.get(token);
      if (!request) return;
      pending.delete(token);
      const hasNoResponders = message.data.length === 0 && message.headers?.code === 503;
      if (hasNoResponders) request.reject(new errors.NoRespondersError(request.subject));
      else request.resolve(message);
    },
  });
  nc.closed().then(rejectAll, rejectAll);

  function rejectAll(): void {
    for (const { reject } of pending.values()) reject(new errors.ClosedConnectionError());
    pending.clear();
  }

  function checkDeadlines(): void {
    const now = performance.now();
    for (const [token, { deadline, reject }] of pending) {
      if (deadline > now) continue;
      pending.delete(token);
      reject(new errors.TimeoutError());
    }
    if (pending.size > 0) return;
    clearInterval(timer ?? undefined);
    timer = null;
  }

  return {
    request(subject, body, { headers, timeoutMs }) {
      count += 1;
      const token = String(count);
      return new Promise((resolve, reject) => {
        // Before the entry: this throws when the message is too large or the connection is closed.
        nc.publish(subject, body, { reply: `${inbox}.${token}`, headers });
        pending.set(token, { subject, deadline: performance.now() + timeoutMs, resolve, reject });
        timer ??= setInterval(checkDeadlines, checkIntervalMs);
      });
    },
  };
}
