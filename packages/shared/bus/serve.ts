import type { Msg, Subscription } from '@nats-io/transport-node';
import { requirePermission } from '../auth/index.ts';
import type { Actor } from '../contracts/actor.ts';
import { isChange, type RequestContract } from '../contracts/contract.ts';
import { transportErrors } from '../contracts/errors.ts';
import { AppError, coerceError, payloadError, refuseUnstorable } from '../errors/index.ts';
import { callFields } from '../log/index.ts';
import { Histogram, metrics } from '../telemetry/index.ts';
import type { Bus, RequestContext, ServedContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './failures.ts';
import { contextOf, headerNames, makeHeaders } from './headers.ts';
import { inboxesOf, ownerOf } from './inboxes.ts';
import { EncodedPiece } from './items.ts';
import { pieceWindow, stopMessage } from './request-many.ts';
import { within } from './waiting.ts';
import { decodeBody, encodeBody, encodeRefusal } from './wire.ts';

const served = new Histogram({
  name: 'yardarm_bus_served_seconds',
  help: 'How long requests of the bus took here, by contract and by outcome (ok or the error code)',
  labelNames: ['contract', 'outcome'],
  registers: [metrics],
});

/** The time that a drain waits for the server to confirm an unsubscription. */
const unsubscribeLimitMs = 2_000;

type Run = (input: never, context: ServedContext, message: Msg) => Promise<void>;

/** The serving side of the bus. Replicas share the requests by the queue group of their service. */
export interface Server extends Pick<Bus, 'serve' | 'serveMany'> {
  /** Takes no more requests; resolves when the running ones are answered. */
  drain(): Promise<void>;
}

/** `admit` throws while this process may not answer requests. */
export function createServer(connection: Connection, admit: () => void): Server {
  const { nc, names } = connection;
  const subscriptions: Subscription[] = [];
  const inFlight = new Set<Promise<void>>();

  const listen = (contract: RequestContract, replies: RequestContract['replies'], run: Run): void => {
    if (contract.replies !== replies) {
      throw new AppError(
        'internal',
        `${contract.name} has replies '${contract.replies}', and is served with '${replies}'.`,
      );
    }
    const subject = names.subject(`rpc.${contract.name}`);
    const subscription = nc.subscribe(subject, {
      queue: names.subject(contract.service),
      callback: (error, message) => {
        if (error) {
          connection.log.error({ err: error, contract: contract.name }, 'the subscription of this contract failed');
          return;
        }
        if (!isFromCaller(connection, contract, subject, message)) {
          connection.log.error(
            { contract: contract.name, subject: message.subject, reply: message.reply },
            'a message that is no request arrived; it is ignored',
          );
          return;
        }
        const admitted: Run = async (...call) => {
          admit();
          await run(...call);
        };
        const work = answer(connection, contract, message, admitted).finally(() => inFlight.delete(work));
        inFlight.add(work);
      },
    });
    subscriptions.push(subscription);
  };

  return {
    serve(contract, handler) {
      listen(contract, 'one', async (input, context, message) => {
        const output = parseOutput(contract, (await handler(input, context)) ?? {});
        if (!send(message, encodeBody(output))) {
          throw new AppError('internal', `The answer of ${contract.name} is larger than a message may be.`);
        }
      });
    },
    serveMany(contract, handler) {
      listen(contract, 'many', async (input, context, message) => {
        await sendPieces(connection, contract, handler(input, context), context, message);
      });
    },
    async drain() {
      // When `drain` resolves, the server sends no more requests, and all that it sent have reached the callback.
      await Promise.all(
        subscriptions.map(async (subscription) => {
          if (connection.isConnected()) await within(unsubscribeLimitMs, subscription.drain());
          if (!nc.isClosed()) subscription.unsubscribe();
        }),
      );
      while (inFlight.size > 0) await Promise.allSettled([...inFlight]);
    },
  };
}

/**
 * Whether a service sent the message. A service that may use JetStream can direct stored messages, with headers that it
 * chose, to any subject. Those keep the subject under which they were stored, or name their stream. The answer may only
 * go to an inbox for this service: on another subject it would be a request or the answer of another service.
 */
function isFromCaller(
  { names }: Connection,
  { service }: RequestContract,
  subject: string,
  { subject: arrived, reply = '', headers }: Msg,
): boolean {
  return arrived === subject && ownerOf(reply, service, names.subject) !== undefined && !headers?.has('Nats-Stream');
}

/** Answers one request. Every error is answered; an internal one is also logged, once. Never rejects. */
async function answer(connection: Connection, contract: RequestContract, message: Msg, run: Run): Promise<void> {
  const end = served.startTimer({ contract: contract.name });
  const { context, isLate } = contextOf(message.headers, Date.now());
  const record = (outcome: string) => {
    const seconds = end({ outcome });
    recordChange(connection, contract, context, outcome, seconds);
  };
  const log = connection.log.child({ requestId: context.requestId, contract: contract.name });
  try {
    if (isLate) {
      log.warn(
        'a request came after its deadline and was not started; if this repeats, compare the clocks of the machines',
      );
      throw new AppError('timeout', 'The request came after its deadline; nothing was done.');
    }
    const input = parseInput(contract, message.data);
    checkPermission(contract, context.actor, input);
    await run(input as never, { ...context, log }, message);
    record('ok');
  } catch (thrown) {
    const refusal = refusalOf(contract, thrown);
    if (!refusal) log.error({ err: coerceError(thrown) }, 'a request failed');
    const reported =
      refusal ?? new AppError('internal', `Something went wrong on our side. Request id: ${context.requestId}.`);
    record(reported.code);
    try {
      send(message, encodeRefusal(reported), { [headerNames.error]: reported.code });
    } catch (error) {
      // The connection was closed while the handler ran.
      log.warn({ err: coerceError(error) }, 'an answer could not be sent');
    }
  }
}

/**
 * Writes one line for each change, whatever its outcome, and one at level debug for each refusal of another request. An
 * error's message is not in it, since it repeats the input, which may be a password in the wrong field. Refusals
 * without an actor, such as wrong passwords, are at level debug too: any caller could fill the log with them.
 */
function recordChange(
  { log }: Connection,
  contract: RequestContract,
  context: RequestContext,
  outcome: string,
  seconds: number,
): void {
  const isOk = outcome === 'ok';
  const isPublic = contract.permission === 'public';
  const hasActor = context.actor !== null;
  const isLogged = isChange(contract) && (hasActor || isPublic);
  // A healthy service reads and reports many times a second.
  if (isOk && !isLogged) return;
  const level = isLogged && (isOk || hasActor) ? 'info' : 'debug';
  const fields = callFields({ ...context, operation: contract.name, durationMs: seconds * 1_000 });
  log[level]({ ...fields, status: outcome }, isOk ? 'a change was done' : 'a request was refused');
}

function parseInput(contract: RequestContract, data: Uint8Array): unknown {
  let payload: unknown;
  try {
    payload = decodeBody(data);
  } catch (error) {
    throw new AppError('validation', 'The request payload is not JSON.', { cause: error });
  }
  // All input of a service passes here, so texts that Postgres cannot store are refused here.
  refuseUnstorable(payload);
  const input = contract.input.safeParse(payload);
  if (!input.success) throw payloadError(input.error.issues, payload);
  return input.data;
}

function checkPermission({ permission, name, anywhere }: RequestContract, actor: Actor | null, input: unknown): void {
  if (permission === 'internal' || permission === 'public') return;
  if (!actor) throw new AppError('no-access', `${name} requires an actor.`);
  if (permission === 'authenticated') return;
  const { projectId, environment } = (input ?? {}) as { projectId?: unknown; environment?: unknown };
  const place = {
    project: typeof projectId === 'string' ? projectId : undefined,
    environment: typeof environment === 'string' ? environment : undefined,
  };
  requirePermission(actor, permission, anywhere ? 'anywhere' : place);
}

function parseOutput(contract: RequestContract, returned: unknown): unknown {
  const output = contract.output.safeParse(returned);
  if (output.success) return output.data;
  throw new Error(`the output of ${contract.name} does not conform to the contract`, { cause: output.error });
}

/** Returns the error for the caller; null when it is internal and only logged. */
function refusalOf(contract: RequestContract, thrown: unknown): AppError | null {
  if (!(thrown instanceof AppError) || thrown.code === 'internal') return null;
  const allowed: readonly string[] = [...contract.errors, ...transportErrors];
  return allowed.includes(thrown.code) ? thrown : null;
}

/** Returns false when the body is larger than a message may be. Throws when the connection is closed. */
function send(message: Msg, body: Uint8Array, values: Record<string, string> = {}, reply?: string): boolean {
  try {
    message.respond(body, { headers: makeHeaders(values), ...(reply === undefined ? {} : { reply }) });
    return true;
  } catch (error) {
    if (failureOf(error) === 'too-large') return false;
    throw error;
  }
}

/**
 * Sends pieces, at most the window ahead of the caller. Ends after the last one, on a stop of the caller, or when the
 * caller has handled none for as long as the request had until its deadline.
 */
async function sendPieces(
  connection: Connection,
  contract: RequestContract,
  pieces: AsyncIterable<unknown>,
  context: ServedContext,
  message: Msg,
): Promise<void> {
  const { names } = connection;
  const caller = ownerOf(message.reply ?? '', contract.service, names.subject) ?? '';
  const control = inboxesOf(contract.service, names.subject).from(caller);
  const patienceMs = context.deadline - Date.now();
  let { deadline } = context;
  let acknowledged = 0;
  let isStopped = false;
  let wake = (): void => {};
  const subscription = connection.nc.subscribe(control, {
    callback: (error, reply) => {
      if (error || reply.string() === stopMessage) isStopped = true;
      else acknowledged = Math.max(acknowledged, Number(reply.string()) || 0);
      deadline = Date.now() + patienceMs;
      wake();
    },
  });
  const isOver = () => isStopped || Date.now() >= deadline;
  let sent = 0;
  try {
    for await (const piece of pieces) {
      while (sent - acknowledged >= pieceWindow && !isOver()) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      if (isOver()) return;
      sent += 1;
      const isEncoded = piece instanceof EncodedPiece;
      const body = isEncoded ? piece.deflated : encodeBody(parseOutput(contract, piece));
      const values: Record<string, string> = { [headerNames.piece]: String(sent) };
      if (isEncoded) values[headerNames.encoding] = 'deflate';
      if (!send(message, body, values, control)) {
        throw new AppError('internal', `Piece ${sent} of ${contract.name} is larger than a message may be.`);
      }
    }
    send(message, encodeBody(undefined), { [headerNames.pieces]: String(sent) }, control);
  } finally {
    if (!connection.nc.isClosed()) subscription.unsubscribe();
  }
}
