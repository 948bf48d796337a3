import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { RelayOptions } from './options.ts';
import { deliveryId, isSigned } from './signatures.ts';

// A delivery is in one of these states:
//
//   received -> refused   Its signature is wrong, or it is too large, or too many are waiting. Nothing is sent.
//   received -> waiting   The ones before it are sent first, so that a resolution never overtakes its alert.
//   waiting  -> answered  Yardarm has accepted or refused it. The sender gets that answer.
//   waiting  -> given up  Yardarm did not accept it within `maxWaitMs`. The sender gets 503.
//
// A delivery that is sent twice has the same Idempotency-Key, so Yardarm stores one signal. A sender that hangs up
// changes nothing: the delivery stays in its place.

/** Yardarm restarts in seconds. Senders themselves wait ten seconds at most. */
const maxWaitMs = 60_000;
/** Of 100 kB each, these take 10 MB. */
const maxWaiting = 100;
/** Yardarm accepts at most 900,000 bytes, whatever its settings. */
const maxBodyBytes = 900_000;
/** An answer without Retry-After, or none at all: the wait that Yardarm itself asks for. */
const defaultRetryMs = 1_000;
/** Yardarm answers within ten seconds, unless its settings say otherwise. */
const requestTimeoutMs = 15_000;

export interface Relay {
  port: number;
  /** Accepts no more deliveries, and ends after those that are waiting. */
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  text: string;
}

const problem = (status: number, message: string): Answer => ({ status, text: JSON.stringify({ message }) });

/** Starts an HTTP server that checks the signature of a sender and sends its body on with the token of an endpoint. */
export async function startRelay(options: RelayOptions, log: (line: string) => void): Promise<Relay> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function relay(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return problem(405, 'Send webhooks with POST.');
    const body = await readBody(request);
    if (body === null) return problem(413, `A webhook may have at most ${maxBodyBytes} bytes.`);
    if (!isSigned(options.sender, options.secret, request.headers, body)) {
      return problem(401, `The signature is not that of ${options.sender} with this secret.`);
    }
    if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
      return problem(415, 'The content type of the webhook should be application/json.');
    }
    if (waiting >= maxWaiting) return problem(503, 'Too many webhooks are waiting.');
    waiting += 1;
    const giveUpAt = Date.now() + maxWaitMs;
    const key = deliveryId(options.sender, request.headers);
    log(`${options.sender}: received ${key ?? 'a delivery without an id'}`);
    const answer = last.then(() => sendUntilAnswered(options, body, key, giveUpAt));
    const settle = () => {
      waiting -= 1;
    };
    last = answer.then(settle, settle);
    return answer;
  }

  const server = createServer(async (request, response) => {
    const answer = await relay(request).catch(() => problem(400, 'The webhook broke off.'));
    log(`${options.sender}: ${answer.status}${answer.status === 200 ? '' : ` ${answer.text}`}`);
    send(response, answer);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends until Yardarm accepts or refuses. 429 and 503 have changed nothing, and the key makes any repetition safe. */
async function sendUntilAnswered(
  { url, token }: RelayOptions,
  body: Buffer,
  key: string | undefined,
  giveUpAt: number,
): Promise<Answer> {
  for (;;) {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: new Uint8Array(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    }).catch(() => null);
    const text = (await response?.text().catch(() => null)) ?? null;
    if (response && text !== null && ![429, 502, 503, 504].includes(response.status)) {
      return { status: response.status, text };
    }
    const retryAfterMs = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1000;
    const waitMs = retryAfterMs > 0 ? retryAfterMs : defaultRetryMs;
    if (Date.now() + waitMs > giveUpAt) return problem(503, 'Yardarm did not accept the webhook in time.');
    await pause(waitMs);
  }
}

/** The bytes of the body, or null when there are too many. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Without `destroyOnReturn` the answer would have no connection.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += part.length;
    if (bytes > maxBodyBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function send(response: ServerResponse, { status, text }: Answer): void {
  const headers = { 'content-type': 'application/json', ...(status === 413 && { connection: 'close' }) };
  response.writeHead(status, headers).end(text);
}
