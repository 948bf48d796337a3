import {
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type PermissionViolationError,
} from '@nats-io/transport-node';
import { WakeUp } from '../waiting/index.ts';

/** Deadlines are seconds away, so a delay of this length does not matter. */
const checkIntervalMs = 25;

/**
 * A request without an answer. When the first message of an answer has a reply subject, more follow it: they arrive in
 * `rest`, and the request stays here until that is closed.
 */
interface Pending {
  subject: string;
  deadline: number;
  rest: ArrivedRest | null;
  resolve(answer: Msg): void;
  reject(error: Error): void;
}

/** The messages of an answer after its first one. */
export interface Rest {
  /** Rejects as `request()` does. `deadline` is in epoch ms. */
  next(deadline: number): Promise<Msg>;
  /** Takes no more messages. */
  close(): void;
}

/** Requests whose answers arrive on one inbox. */
export interface ReplyInbox {
  /** Rejects with NoRespondersError, TimeoutError, ClosedConnectionError or PermissionViolationError. */
  request(subject: string, body: Uint8Array, options: { headers: MsgHdrs; timeoutMs: number }): Promise<Msg>;
  /** For a first message with a reply subject. The caller has to close it. */
  rest(first: Msg): Rest;
}

class ArrivedRest implements Rest {
  readonly #arrived: Msg[] = [];
  readonly #wakeUp = new WakeUp();
  readonly close: () => void;
  #failure: Error | null = null;

  constructor(close: () => void) {
    this.close = close;
  }

  add(message: Msg): void {
    this.#arrived.push(message);
    this.#wakeUp.wake();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wakeUp.wake();
  }

  async next(deadline: number): Promise<Msg> {
    for (;;) {
      const message = this.#arrived.shift();
      if (message) return message;
      if (this.#failure) throw this.#failure;
      const remainingMs = deadline - Date.now();
      if (remainingMs <= 0) throw new errors.TimeoutError();
      await this.#wakeUp.wait(remainingMs);
    }
  }
}

/**
 * The client's own request has one inbox for the answers of all services, and makes an error with a stack for each
 * answer, which costs a tenth of the publish rate.
 */
export function createReplyInbox(
  nc: NatsConnection,
  inbox: string,
  onDenied: (listener: (denied: PermissionViolationError) => void) => void,
): ReplyInbox {
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
      if (request.rest) {
        request.rest.add(message);
        return;
      }
      if (message.reply) {
        // Its receiver knows how long it waits for the others.
        request.deadline = Number.POSITIVE_INFINITY;
        request.rest = new ArrivedRest(() => pending.delete(token));
        request.resolve(message);
        return;
      }
      pending.delete(token);
      const hasNoResponders = message.data.length === 0 && message.headers?.code === 503;
      if (hasNoResponders) request.reject(new errors.NoRespondersError(request.subject));
      else request.resolve(message);
    },
  });
  nc.closed().then(rejectAll, rejectAll);
  onDenied((denied) => {
    for (const [token, request] of pending) {
      if (request.subject === denied.subject) fail(token, request, denied);
    }
  });

  function fail(token: string, { rest, reject }: Pending, error: Error): void {
    pending.delete(token);
    if (rest) rest.fail(error);
    else reject(error);
  }

  function rejectAll(): void {
    for (const [token, request] of pending) fail(token, request, new errors.ClosedConnectionError());
  }

  function checkDeadlines(): void {
    const now = performance.now();
    for (const [token, request] of pending) {
      if (request.deadline <= now) fail(token, request, new errors.TimeoutError());
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
        pending.set(token, { subject, deadline: performance.now() + timeoutMs, rest: null, resolve, reject });
        timer ??= setInterval(checkDeadlines, checkIntervalMs);
      });
    },
    rest(first) {
      const rest = pending.get(first.subject.slice(inbox.length + 1))?.rest;
      if (!rest) throw new errors.ClosedConnectionError();
      return rest;
    },
  };
}
