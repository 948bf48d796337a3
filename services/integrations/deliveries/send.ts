import type { Event } from '@yardarm/shared/contracts/events';
import type { Keyring } from '@yardarm/shared/encryption';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { tracer } from '@yardarm/shared/telemetry';
import { openParameters, type StoredIntegration } from '../integrations/integration.ts';
import { attempts } from '../metrics.ts';
import type { Parameters, Providers, SendResult } from '../providers/index.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import type { EndedAttempt } from './settle.ts';
import { traceSend } from './trace-send.ts';

/** The stored length of an answer. The reason is usually at its beginning. */
const maxStoredAnswer = 1_024;

export interface SenderOptions {
  providers: Providers;
  keys: Keyring;
  log: Logger;
}

/**
 * Sends one delivery once, with no transaction open. If `cutOff` ends the send before an answer, there is no outcome.
 */
export type Send = (
  integration: StoredIntegration,
  delivery: ClaimedDelivery,
  cutOff: AbortSignal,
) => Promise<EndedAttempt>;

/** Caches the decrypted parameters: decryption is a twelfth of the CPU time of a send. */
export function createSend({ providers, keys, log }: SenderOptions): Send {
  let decrypted: { text: string; parameters: Parameters } | null = null;

  async function publish(
    integration: StoredIntegration,
    { eventJson, eventId, progress, traceparent, epoch }: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<SendResult> {
    try {
      const provider = providers.get(integration.provider);
      if (!provider) throw new Error(`there is no provider ${integration.provider}`);
      const { text } = integration.parameters;
      if (decrypted?.text !== text) decrypted = { text, parameters: openParameters(keys, integration) };
      const message = { eventJson, event: JSON.parse(eventJson) as Event, progress, traceparent, epoch, signal };
      return await provider.publish({ integrationId: integration.id, parameters: decrypted.parameters, ...message });
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

  return async (integration, delivery, cutOff) => {
    const startedAt = new Date();
    const end = attempts.startTimer({ provider: integration.provider });
    const result =
      tracer === null
        ? await publish(integration, delivery, cutOff)
        : await traceSend(tracer, integration.provider, delivery, (traced) => publish(integration, traced, cutOff));
    end({ state: result.state });
    const nowMs = Date.now();
    const { status, responseBody } = result;
    const isCutOff = cutOff.aborted && status === null;
    const attempt = {
      ...{ number: delivery.attempt, startedAt, durationMs: nowMs - startedAt.getTime(), status },
      errorCode: isCutOff ? 'interrupted' : result.errorCode,
      // Postgres cannot store NUL in a text.
      responseBody: responseBody?.slice(0, maxStoredAnswer).replaceAll('\u0000', '') ?? null,
    };
    const drawn = { random: Math.random(), nowMs };
    return { version: integration.version, delivery, attempt, result: isCutOff ? null : result, drawn };
  };
}
