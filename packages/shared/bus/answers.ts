import {
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type PermissionViolationError,
} from '@nats-io/transport-node';

/** Deadlines are seconds away, so a delay of this length does not matter. */
const checkIntervalMs = 25;

interface Pending {
  subject: string;
  deadline: number;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** Requests whose answers arrive on one inbox. */
export interface Answers {
  /** Rejects with NoRespondersError, TimeoutError, ClosedConnectionError or PermissionViolationError. */
  request(subject: string, body: Uint8Array, options: { headers: MsgHdrs; timeoutMs: number }): Promise<Msg>;
}

/**
 * The client's own request has one inbox for the answers of all services, and makes an error with a stack for each
 * answer, which costs a tenth of the publish rate.
 */
export function createAnswers(
  nc: NatsConnection,
  inbox: string,
  onDenied: (listener: (denied: PermissionViolationError) => void) => void,
): Answers {
  const pending = new Map<string, Pending>();
  let count = 0;
  let timer: NodeJS.Timeout | null = null;

  nc.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      // The connection reports it.
      if (error) return;
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
  onDenied((denied) => {
    for (const [token, { subject, reject }] of pending) {
      if (subject !== denied.subject) continue;
      pending.delete(token);
      reject(denied);
    }
  });

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
