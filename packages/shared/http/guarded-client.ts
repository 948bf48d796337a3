import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { Logger } from '../log/index.ts';
import { readAllowedPrivate } from './allowed-private.ts';
import { startClock, type Timeouts } from './clock.ts';
import { type Destination, parseUrl, settle } from './destination.ts';
import { headerFault } from './headers.ts';
import { OutgoingFailed, OutgoingRefused, outgoingError } from './outgoing-errors.ts';
import { type Proxies, proxyFor } from './proxies.ts';
import { type Address, createResolve, type Resolve } from './resolve.ts';

export interface OutgoingRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  timeouts?: Partial<Timeouts>;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The first 64 kB, never decompressed. */
  body: string;
  bodyTruncated: boolean;
  durationMs: number;
}

export interface GuardedClient {
  /** Throws OutgoingRefused when the call may not be made, OutgoingFailed when it brought no answer. Any status is an answer, 3xx too. */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>;
}

/** An answer is kept for people to read why a call failed; beyond this nobody does, and an endless one costs us nothing. */
const maxBodyBytes = 64 * 1024;

/**
 * A connection lies idle for so long and is then closed: an endpoint that is sent several messages a second needs no other, and servers
 * leave one open for longer.
 */
const idleMs = 1_000;

/**
 * A connection is used no longer than this: an endpoint that serves one at a time, or fewer than integrations send, comes to the others.
 */
const maxUseMs = 1_000;

/** An idle connection that the endpoint had closed breaks as soon as something is sent over it; later it may have worked on what it got. */
const brokenAtOnceMs = 100;

/** Idle connections to one endpoint; integrations send eight at once. */
const maxIdle = 8;

/**
 * The only way out to an address that a user gave. The name is resolved once, the addresses are checked, and the connection
 * goes to exactly those, or is one that was made to exactly those a moment ago; the agent checks them once more when it connects. Redirects are
 * not followed.
 *
 * Through a proxy the guard holds as without one: the name is resolved and checked here, and the proxy is asked for a tunnel (CONNECT) to the
 * checked address, not to the name, for http too. It cannot be led elsewhere, and sees nothing of what goes through TLS.
 */
export function createGuardedClient(options: {
  /** Host names, addresses and CIDRs that may be reached although they are private. */
  allowedPrivate: readonly string[];
  log: Logger;
  proxies?: Proxies;
  resolve?: Resolve;
}): GuardedClient {
  const { allowed, faults } = readAllowedPrivate(options.allowedPrivate);
  if (faults.length > 0) throw new Error(`The list of allowed private addresses is faulty: ${faults.join('; ')}`);
  if (options.allowedPrivate.length > 0) {
    options.log.info({ allowedPrivate: options.allowedPrivate }, 'outgoing calls may reach these private addresses');
  }
  const resolve = options.resolve ?? createResolve();
  const { proxies = { http: null, https: null, none: [] } } = options;
  const agents = {
    public: agentsThat({ allowPrivateIPAddress: false }),
    private: agentsThat({ allowPrivateIPAddress: true }),
  };

  /** Over a connection that lies idle, or a new one. */
  function straight(url: URL, { addresses, isAllowedPrivate }: Destination): Way {
    const agent = agents[isAllowedPrivate ? 'private' : 'public'][url.protocol === 'https:' ? 'https' : 'http'];
    return { agent, lookup: only(addresses), checked: addresses.map(({ address }) => address).sort() };
  }

  return {
    async send(request) {
      const startedAt = performance.now();
      const url = parseUrl(request.url);
      const fault = headerFault(request.headers);
      if (fault) throw new OutgoingRefused(fault);
      const clock = startClock(request.timeouts, request.signal);
      try {
        const destination = await clock.orEnd(settle(url, allowed, resolve));
        const proxy = proxyFor(url, proxies);
        const way = proxy === null ? straight(url, destination) : tunnel(url, destination, proxy, clock.signal);
        const ask = (how: Way) => exchange(url, request, { ...how, signal: clock.signal }, clock.connected);
        const response = await ask(way).catch((error: unknown) => {
          if (!(error instanceof IdleConnectionBroke) || clock.signal.aborted) throw error;
          return ask({ ...way, checked: [randomUUID()] });
        });
        clock.answered();
        const { body, bodyTruncated } = await readBody(response);
        const { statusCode = 0, headers } = response;
        return {
          status: statusCode,
          headers,
          body,
          bodyTruncated,
          durationMs: Math.round(performance.now() - startedAt),
        };
      } catch (error) {
        throw outgoingError(clock.signal.aborted ? clock.signal.reason : error);
      } finally {
        clock.stop();
      }
    },
  };
}

/** How a connection to a destination is made. */
interface Way extends Pick<https.RequestOptions, 'agent' | 'lookup' | 'hostname' | 'servername'> {
  /** What an idle connection must have been made for. */
  checked?: string[];
}

/** The endpoint closed a connection that lay idle just as it was used again: the call is made anew, over a connection that nothing else has. */
class IdleConnectionBroke extends Error {
  override readonly name = 'IdleConnectionBroke';
}

const madeAt = new WeakMap<Socket, number>();

/** The tunnel ends with the call's signal, also while the proxy has not answered yet. */
function tunnel(url: URL, { addresses }: Destination, proxy: string, signal: AbortSignal): Way {
  const [{ address }] = addresses as [Address];
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return {
    agent: new HttpsProxyAgent(proxy, { signal } as object),
    hostname: address,
    ...(isIP(name) === 0 ? { servername: name } : {}),
  };
}

function agentsThat(filter: { allowPrivateIPAddress: boolean }): { http: http.Agent; https: https.Agent } {
  const settings = { ...filter, keepAlive: true, timeout: idleMs, maxFreeSockets: maxIdle };
  return {
    http: keptByAddress(new RequestFilteringHttpAgent(settings)),
    https: keptByAddress(new RequestFilteringHttpsAgent(settings)),
  };
}

/** Has an agent use an idle connection only for a call whose name resolved to the addresses that it was made for. */
function keptByAddress<A extends http.Agent>(agent: A): A {
  const getName = agent.getName.bind(agent);
  return Object.assign(agent, {
    getName: (options: Way) => `${getName(options as Parameters<typeof getName>[0])} ${options.checked}`,
  });
}

/** Answers a connection's lookup with the addresses that were checked, so that a name cannot change in between. */
function only(addresses: Address[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

function exchange(
  url: URL,
  { method, headers, body = '' }: OutgoingRequest,
  connection: Way & { signal: AbortSignal },
  connected: () => void,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      ...connection,
      headers: {
        ...headers,
        host: url.host,
        'accept-encoding': 'identity',
        ...(body === '' && method === 'GET' ? {} : { 'content-length': Buffer.byteLength(body) }),
      },
    };
    const request = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
    let isUntouched = () => false;
    let isAnswered = false;
    request.on('socket', (socket) => {
      const [given, bytesRead] = [performance.now(), socket.bytesRead];
      if (!madeAt.has(socket)) madeAt.set(socket, given);
      if (given - madeAt.get(socket)! > maxUseMs) request.shouldKeepAlive = false;
      isUntouched = () => socket.bytesRead === bytesRead && performance.now() - given < brokenAtOnceMs;
      // The socket of a tunnel is connected when it comes, and so is one that lay idle.
      if (request.reusedSocket || (url.protocol === 'http:' && !socket.connecting)) connected();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    // What a proxy says instead of making the tunnel is no answer of the endpoint.
    request.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
      if (statusCode !== 200) request.destroy(new OutgoingFailed('proxy', `the proxy answered ${statusCode}`));
    });
    request.on('response', (response) => {
      isAnswered = true;
      // An endpoint that has answered without reading all that it was sent will not read the rest either.
      response.once('end', () => request.writableFinished || response.socket.destroy());
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(request.reusedSocket && isReset && isUntouched() ? new IdleConnectionBroke() : error);
    });
    request.on('close', () => {
      if (!isAnswered) reject(new OutgoingFailed('ECONNRESET', 'the connection closed without an answer'));
    });
    request.end(body);
  });
}

/** The status has been given by now: a body that never ends, or breaks off, is cut where it stands and changes nothing. */
async function readBody(response: http.IncomingMessage): Promise<{ body: string; bodyTruncated: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  let bodyTruncated = false;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBodyBytes) break;
    }
  } catch {
    // Broken off by the endpoint or by the clock.
    bodyTruncated = true;
  }
  // One that was read to its end leaves its connection for the next call.
  if (!response.complete) response.destroy();
  return {
    body: Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8'),
    bodyTruncated: bodyTruncated || length > maxBodyBytes,
  };
}
