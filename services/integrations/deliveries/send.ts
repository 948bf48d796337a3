import type { Event } from '@yardarm/shared/contracts/events';
import type { Database } from '@yardarm/shared/db';
import type { Keyring } from '@yardarm/shared/encryption';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { tracer } from '@yardarm/shared/telemetry';
import type { IntegrationsTables } from '../db/schema.ts';
import { openParameters, type StoredIntegration } from '../integrations/integration.ts';
import { attempts } from '../metrics.ts';
import type { Parameters, Providers, SendResult } from '../providers/index.ts';
import { maxCharacters } from '../providers/template.ts';
import { shortened } from '../shortened.ts';
import { type ClaimedDelivery, loadEvent } from './claims.repo.ts';
import type { EndedAttempt } from './settle.ts';
import { traceSend } from './trace-send.ts';

/** The stored length of an answer. The reason is usually at its beginning. */
const maxStoredAnswer = 1_024;

/**
 * What a send holds for each byte of its event: the text, the parsed event and the body in one or two forms. Most of it
 * is given back when the body is sent; an endpoint decides when that is.
 */
const heldPerByte = 8;

/** What a send holds for each character of a rendered body, as a string of up to two bytes and as UTF-8. */
const heldPerCharacter = 4;

/** Of the largest rendered body. */
const maxRenderedBytes = maxCharacters * heldPerCharacter;

export interface SenderOptions {
  db: Database<IntegrationsTables>;
  providers: Providers;
  keys: Keyring;
  log: Logger;
}

export interface SendContext {
  /** If it ends the send before an answer, there is no outcome. */
  cutOff: AbortSignal;
  /** Counts bytes that the send holds until it ends; a negative number is given back earlier. */
  hold(bytes: number): void;
  /** Notes the CPU time of making the message. By the clock any message is costly on a busy machine. */
  took(cpuMs: number): void;
}

interface LoadedContext extends SendContext {
  eventJson: string;
}

/**
 * Sends one delivery once, with no transaction open. It counts the bytes of a body before it waits for anything, or
 * the most that a body can have.
 */
export type Send = (
  integration: StoredIntegration,
  delivery: ClaimedDelivery,
  context: SendContext,
) => Promise<EndedAttempt>;

/** Caches the decrypted parameters: decryption is a twelfth of the CPU time of a send. */
export function createSend({ db, providers, keys, log }: SenderOptions): Send {
  let decrypted: { text: string; parameters: Parameters } | null = null;

  async function publish(
    integration: StoredIntegration,
    { eventId, progress, traceparent, epoch }: ClaimedDelivery,
    { eventJson, cutOff, hold, took }: LoadedContext,
  ): Promise<SendResult> {
    try {
      const provider = providers.get(integration.provider);
      if (!provider) throw new Error(`there is no provider ${integration.provider}`);
      const { text } = integration.parameters;
      if (decrypted?.text !== text) decrypted = { text, parameters: openParameters(keys, integration) };
      const began = process.threadCpuUsage();
      const publishing = provider.publish({
        ...{ integrationId: integration.id, parameters: decrypted.parameters },
        ...{ eventJson, event: JSON.parse(eventJson) as Event, progress, traceparent, epoch, signal: cutOff },
        onRendered: (body) => hold(body.length * heldPerCharacter),
      });
      // The message is made by now, and the request has begun.
      const { user, system } = process.threadCpuUsage(began);
      took((user + system) / 1_000);
      return await publishing;
    } catch (error) {
      const { name, stack } = coerceError(error);
      // The message is left out, because it may quote a parameter.
      const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
      log.error({ error: name, frames, integrationId: integration.id, eventId }, 'a provider failed');
      const stateDetails = 'The message could not be made; the log of integrations says why.';
      const noAnswer = { status: null, retryAfter: null, responseBody: null, progress: null };
      return { state: 'failed', stateDetails, details: {}, errorCode: 'internal', next: 'retry', ...noAnswer };
    }
  }

  /** Null if the database does not answer. The delivery is then due again at once. */
  async function load({ integrationId, eventId }: ClaimedDelivery, { hold }: SendContext): Promise<string | null> {
    hold(maxRenderedBytes);
    try {
      return await loadEvent(db.kysely, eventId);
    } catch (error) {
      log.warn({ err: coerceError(error), integrationId, eventId }, 'cannot load an event; its delivery is due again');
      return null;
    } finally {
      hold(-maxRenderedBytes);
    }
  }

  function publishTraced(integration: StoredIntegration, delivery: ClaimedDelivery, context: LoadedContext) {
    if (tracer === null) return publish(integration, delivery, context);
    return traceSend(tracer, integration.provider, delivery, (traced) => publish(integration, traced, context));
  }

  return async (integration, delivery, context) => {
    const startedAt = new Date();
    const began = performance.now();
    const end = attempts.startTimer({ provider: integration.provider });
    context.hold(delivery.eventBytes * heldPerByte);
    const eventJson = delivery.eventJson ?? (await load(delivery, context));
    const sent = eventJson === null ? null : await publishTraced(integration, delivery, { ...context, eventJson });
    if (sent !== null) end({ state: sent.state });
    const endedAt = performance.now();
    const { status, responseBody, progress } = sent ?? { status: null, responseBody: null, progress: null };
    const result = context.cutOff.aborted && status === null ? null : sent;
    const attempt = {
      ...{ number: delivery.attempt, startedAt, durationMs: Math.round(endedAt - began), status },
      errorCode: result === null ? 'interrupted' : result.errorCode,
      // Postgres cannot store NUL in a text.
      responseBody: responseBody && shortened(responseBody, maxStoredAnswer).replaceAll('\u0000', ''),
    };
    const isBodyEvent = sent !== null && sent.details.body === eventJson;
    const drawn = { random: Math.random(), nowMs: Date.now() };
    return { version: integration.version, delivery, attempt, endedAt, result, progress, isBodyEvent, drawn };
  };
}
