import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import type { Logger } from '../log/index.ts';
import { tracer } from '../telemetry/index.ts';
import { readAllowedPrivate } from './allowed-private.ts';
import { startClock, type Timeouts } from './clock.ts';
import { type Destination, parseUrl, resolveDestination } from './destination.ts';
import { headerProblem } from './headers.ts';
import { OutgoingFailed, OutgoingRefused, outgoingError } from './outgoing-errors.ts';
import { type Proxies, proxyFor } from './proxies.ts';
import { type Address, createResolve, type Resolve } from './resolve.ts';
import { traceCall } from './trace-call.ts';

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
  /** The first 64 kB of the answer, never decompressed. */
  body: string;
  bodyTruncated: boolean;
  durationMs: number;
}

export interface GuardedClient {
  /** Throws OutgoingRefused if the call is not allowed, OutgoingFailed without an answer. Any status is an answer. */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Calls nothing. Throws what `send` would throw before the call: OutgoingRefused, or OutgoingFailed. */
  check(url: string): Promise<void>;
}

/** Name servers answer in milliseconds, and a person waits for the check. */
const checkTimeouts: Partial<Timeouts> = { connectMs: 2_000 };

/** People read an answer to find out why a call failed, for which this is enough. It also bounds an endless answer. */
const maxBodyBytes = 64 * 1024;

/** Enough for an endpoint that gets several messages a second, and shorter than the idle timeout of servers. */
const idleMs = 1_000;

/** A connection is not reused after this time, so that an endpoint with few connections also serves the others. */
const maxUseMs = 1_000;

/** A reset within this time means that the idle connection was closed. Later the endpoint may have handled the call. */
const maxStaleResetMs = 100;

/** The idle connections to one endpoint. Integrations send eight calls at once. */
const maxIdle = 8;

/**
 * The only client for addresses that users give. It resolves the name once, checks the addresses, and connects to
 * exactly these, or reuses a connection that was made to exactly these. The agent checks the addresses again when it
 * connects. Redirects are not followed.
 *
 * The checks are the same with a proxy: the client resolves and checks the name, and asks the proxy for a tunnel
 * (CONNECT) to the checked address instead of the name, also for http. The proxy resolves no name and sees no content
 * of TLS.
 */
export function createGuardedClient(options: {
  /** Host names, addresses and CIDRs, each with or without a port, that are allowed although they are private. */
  allowedPrivate: readonly string[];
  log: Logger;
  proxies?: Proxies;
  resolve?: Resolve;
}): GuardedClient {
  const { allowed, problems } = readAllowedPrivate(options.allowedPrivate);
  if (problems.length > 0) throw new Error(`The list of allowed private addresses is faulty: ${problems.join('; ')}`);
  if (options.allowedPrivate.length > 0) {
    options.log.info({ allowedPrivate: options.allowedPrivate }, 'outgoing calls may reach these private addresses');
  }
  const resolve = options.resolve ?? createResolve();
  const { proxies = { http: null, https: null, none: [] } } = options;
  const agents = {
    public: createAgents({ allowPrivateIPAddress: false }),
    private: createAgents({ allowPrivateIPAddress: true }),
  };

  function direct(url: URL, { addresses, isAllowedPrivate }: Destination): Route {
    const agent = agents[isAllowedPrivate ? 'private' : 'public'][url.protocol === 'https:' ? 'https' : 'http'];
    return { agent, lookup: fixedLookup(addresses), checked: addresses.map(({ address }) => address).sort() };
  }

  async function send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const startedAt = performance.now();
    const url = parseUrl(request.url);
    const problem = headerProblem(request.headers);
    if (problem) throw new OutgoingRefused(problem);
    const clock = startClock(request.timeouts, request.signal);
    try {
      const destination = await clock.race(resolveDestination(url, allowed, resolve));
      const proxy = proxyFor(url, proxies);
      const route = proxy === null ? direct(url, destination) : tunnel(url, destination, proxy, clock.signal);
      const call = (over: Route) => exchange(url, request, { ...over, signal: clock.signal }, clock.connected);
      const response = await call(route).catch((error: unknown) => {
        if (!(error instanceof StaleConnection) || clock.signal.aborted) throw error;
        return call({ ...route, checked: [randomUUID()] });
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
  }

  async function check(url: string): Promise<void> {
    const clock = startClock(checkTimeouts);
    try {
      await clock.race(resolveDestination(parseUrl(url), allowed, resolve));
    } catch (error) {
      throw outgoingError(error);
    } finally {
      clock.stop();
    }
  }

  return { check, send: (request) => (tracer === null ? send(request) : traceCall(tracer, request, send)) };
}

interface Route extends Pick<https.RequestOptions, 'agent' | 'lookup' | 'hostname' | 'servername'> {
  /** An idle connection is reused only if it was made for these addresses. */
  checked?: string[];
}

/** The endpoint had closed the idle connection that the call used. The call is repeated over a new connection. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection';
}

const createdAt = new WeakMap<Socket, number>();

/** The signal of the call ends the tunnel, also before the proxy has answered. */
function tunnel(url: URL, { addresses }: Destination, proxy: string, signal: AbortSignal): Route {
  const [{ address }] = addresses as [Address];
  const name = url.hostname.replace(/^\[|\]$/g, '');
  return {
    agent: new HttpsProxyAgent(proxy, { signal } as object),
    hostname: address,
    ...(isIP(name) === 0 ? { servername: name } : {}),
  };
}

function createAgents(filter: { allowPrivateIPAddress: boolean }): { http: http.Agent; https: https.Agent } {
  const settings = { ...filter, keepAlive: true, timeout: idleMs, maxFreeSockets: maxIdle };
  return {
    http: keyedByAddresses(new RequestFilteringHttpAgent(settings)),
    https: keyedByAddresses(new RequestFilteringHttpsAgent(settings)),
  };
}

/** Makes the agent reuse an idle connection only for a call with the same checked addresses. */
function keyedByAddresses<A extends http.Agent>(agent: A): A {
  const getName = agent.getName.bind(agent);
  return Object.assign(agent, {
    getName: (options: Route) => `${getName(options as Parameters<typeof getName>[0])} ${options.checked}`,
  });
}

/** A lookup that returns the checked addresses, so that the name is not resolved again. */
function fixedLookup(addresses: Address[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses as [Address];
    if (all) callback(null, addresses);
    else callback(null, first.address, first.family);
  };
}

function exchange(
  url: URL,
  { method, headers, body = '' }: OutgoingRequest,
  connection: Route & { signal: AbortSignal },
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
    let isStale = () => false;
    let isAnswered = false;
    request.on('socket', (socket) => {
      const [assignedAt, bytesRead] = [performance.now(), socket.bytesRead];
      if (!createdAt.has(socket)) createdAt.set(socket, assignedAt);
      if (assignedAt - createdAt.get(socket)! > maxUseMs) request.shouldKeepAlive = false;
      isStale = () => socket.bytesRead === bytesRead && performance.now() - assignedAt < maxStaleResetMs;
      // The socket of a tunnel and a reused socket are already connected.
      if (request.reusedSocket || (url.protocol === 'http:' && !socket.connecting)) connected();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
    });
    // The answer of a proxy that makes no tunnel is not an answer of the endpoint.
    request.on('proxyConnect', ({ statusCode }: { statusCode: number }) => {
      if (statusCode !== 200) request.destroy(new OutgoingFailed('proxy', `the proxy answered ${statusCode}`));
    });
    request.on('response', (response) => {
      isAnswered = true;
      // An endpoint that answers before it has read the whole body will not read the rest.
      response.once('end', () => request.writableFinished || response.socket.destroy());
      resolve(response);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(request.reusedSocket && isReset && isStale() ? new StaleConnection() : error);
    });
    request.on('close', () => {
      if (!isAnswered) reject(new OutgoingFailed('ECONNRESET', 'the connection closed without an answer'));
    });
    request.end(body);
  });
}

/** An endpoint can send chunks of a byte, each of which needs some hundred in memory. */
const maxChunks = 64;

/** The status is known by now, so a body that is endless or breaks off is truncated and is no error. */
async function readBody(response: http.IncomingMessage): Promise<{ body: string; bodyTruncated: boolean }> {
  let chunks: Buffer[] = [];
  let length = 0;
  let bodyTruncated = false;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      if (chunks.length > maxChunks) chunks = [Buffer.concat(chunks)];
      length += chunk.length;
      if (length > maxBodyBytes) break;
    }
  } catch {
    // The endpoint or a timeout ended the body.
    bodyTruncated = true;
  }
  // A connection can be reused only after a complete response.
  if (!response.complete) response.destroy();
  return {
    body: Buffer.concat(chunks).subarray(0, maxBodyBytes).toString('utf8'),
    bodyTruncated: bodyTruncated || length > maxBodyBytes,
  };
}
