import type { Msg, Subscription } from '@nats-io/transport-node';
import type { z } from 'zod';
import { requirePermission } from '../auth/index.ts';
import type { Actor } from '../contracts/actor.ts';
import type { RequestContract } from '../contracts/contract.ts';
import { transportErrors } from '../contracts/errors.ts';
import { AppError, coerceError, conforming, refuseUnstorable } from '../errors/index.ts';
import { callFields } from '../log/index.ts';
import { Histogram, metrics, tracer } from '../telemetry/index.ts';
import type { Answer, Bus, RequestContext, ServedContext } from './bus.ts';
import type { Connection } from './connection.ts';
import { expectsPieces, piecesOf } from './earlier-answers.ts';
import { EncodedAnswer, encodeAnswer, parseOutput } from './encode-answer.ts';
import { failureOf } from './failures.ts';
import { Frame } from './frames.ts';
import { contextOf, headerNames, headerOf } from './headers.ts';
import { serviceOfInbox } from './inboxes.ts';
import { send, sendFrames } from './send-frames.ts';
import { recordOutcome, startServedSpan } from './spans.ts';
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
export interface Server extends Pick<Bus, 'serve'> {
  /** Takes no more requests; resolves when the running ones are answered. */
  drain(): Promise<void>;
}

/** `admit` throws while this process may not answer the requests of a contract. */
export function createServer(connection: Connection, admit: (contract: RequestContract) => void): Server {
  const { nc, names } = connection;
  const subscriptions: Subscription[] = [];
  const inFlight = new Set<Promise<void>>();

  const listen = (contract: RequestContract, run: Run): void => {
    const subject = names.subject(`rpc.${contract.name}`);
    const subscription = nc.subscribe(subject, {
      ...(contract.ofEachReplica ? {} : { queue: names.subject(contract.service) }),
      callback: (error, message) => {
        if (error) {
          // One line has all refused subscriptions (denials.ts).
          if (failureOf(error) === 'denied') return;
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
        const work = answer(connection, contract, message, { admit, run }).finally(() => inFlight.delete(work));
        inFlight.add(work);
      },
    });
    subscriptions.push(subscription);
  };

  return {
    serve(contract, handler) {
      listen(contract, (input, context, message) =>
        sendAnswer(connection, contract, handler(input, context), context, message),
      );
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
  return (
    arrived === subject && serviceOfInbox(reply, service, names.subject) !== undefined && !headers?.has('Nats-Stream')
  );
}

/** Answers one request. Every error is answered; an internal one is also logged, once. Never rejects. */
async function answer(
  connection: Connection,
  contract: RequestContract,
  message: Msg,
  { admit, run }: { admit(contract: RequestContract): void; run: Run },
): Promise<void> {
  const end = served.startTimer({ contract: contract.name });
  const { context: received, isLate } = contextOf(message.headers, Date.now());
  const span = startServedSpan(tracer, contract, received);
  const context = span === null ? received : { ...received, traceparent: span.traceparent };
  const record = (outcome: string) => {
    const seconds = end({ outcome });
    if (span !== null) {
      recordOutcome(span, outcome);
      span.end();
    }
    logChange(connection, contract, context, outcome, seconds);
  };
  const log = connection.log.child({ requestId: context.requestId, contract: contract.name });
  try {
    if (isLate) {
      log.warn(
        'a request came after its deadline and was not started; if this repeats, compare the clocks of the machines',
      );
      throw new AppError('timeout', 'The request came after its deadline; nothing was done.');
    }
    admit(contract);
    const input = parseInput(contract, message.data);
    checkPermission(contract, context.actor, input);
    const served = { ...context, log };
    if (span === null || tracer === null) await run(input as never, served, message);
    else await tracer.within(span, () => run(input as never, served, message));
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
function logChange(
  { log }: Connection,
  contract: RequestContract,
  context: RequestContext,
  outcome: string,
  seconds: number,
): void {
  const isOk = outcome === 'ok';
  const isPublic = contract.permission === 'public';
  const hasActor = context.actor !== null;
  const isLogged = contract.writes !== false && (hasActor || isPublic);
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
  return conforming(contract.input, payload);
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

/** Returns the error for the caller; null when it is internal and only logged. */
function refusalOf(contract: RequestContract, thrown: unknown): AppError | null {
  if (!(thrown instanceof AppError) || thrown.code === 'internal') return null;
  const allowed: readonly string[] = [...contract.errors, ...transportErrors];
  return allowed.includes(thrown.code) ? thrown : null;
}

/** Sends what a handler returned: in one message if it is short and the handler does not yield, or in frames. */
async function sendAnswer<C extends RequestContract>(
  connection: Connection,
  contract: C,
  answer: Answer<C>,
  context: ServedContext,
  message: Msg,
): Promise<void> {
  const inFrames = (frames: AsyncIterable<unknown> | Iterable<unknown>) =>
    sendFrames(connection, contract, frames, context, message);
  if (Symbol.asyncIterator in answer) return inFrames(checked(contract, answer));
  const answered = await answer;
  const { output, encoded } =
    answered instanceof EncodedAnswer
      ? answered
      : await encodeAnswer(contract, answered as z.input<C['output']> | undefined);
  if (headerOf(message.headers, headerNames.accept) === null) {
    const checked = parseOutput(contract, output) as Record<string, unknown>;
    if (expectsPieces(message.reply ?? '', connection.names.subject)) return inFrames(piecesOf(contract.name, checked));
    return requireSent(contract, send(message, encodeBody(checked)));
  }
  if (!(encoded instanceof Uint8Array)) return inFrames(encoded);
  requireSent(contract, send(message, encoded));
}

function requireSent({ name }: RequestContract, isSent: boolean): void {
  if (!isSent) throw new AppError('internal', `The answer of ${name} is larger than a message may be.`);
}

async function* checked(contract: RequestContract, parts: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const part of parts) yield part instanceof Frame ? part : parseOutput(contract, part);
}
