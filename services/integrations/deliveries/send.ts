import type { Event } from '@yardarm/shared/contracts/events';
import { coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import type { Keyring } from '../encryption/keyring.ts';
import { openParameters, type StoredIntegration } from '../integrations/integration.ts';
import { attempts } from '../metrics.ts';
import type { Parameters, Providers, Published } from '../providers/index.ts';
import type { ClaimedDelivery } from './claims.repo.ts';
import type { Ended } from './settle.ts';

/** The characters of an answer that are kept with its attempt: the reason stands at the beginning. */
const maxKeptAnswer = 1_024;

export interface Sender {
  providers: Providers;
  keys: Keyring;
  log: Logger;
}

/** Sends one delivery once, with no transaction open. What `cutOff` ends before an answer came has no outcome. */
export async function send(
  sender: Sender,
  integration: StoredIntegration,
  delivery: ClaimedDelivery,
  cutOff: AbortSignal,
): Promise<Ended> {
  const startedAt = new Date();
  const end = attempts.startTimer({ provider: integration.provider });
  const published = await publish(sender, integration, delivery, cutOff);
  end({ state: published.state });
  const nowMs = Date.now();
  const isCutOff = cutOff.aborted && published.status === null;
  return {
    version: integration.version,
    delivery,
    attempt: {
      number: delivery.attempt,
      startedAt,
      durationMs: nowMs - startedAt.getTime(),
      status: published.status,
      errorCode: isCutOff ? 'interrupted' : published.errorCode,
      // Postgres stores no NUL in a text.
      responseBody: published.responseBody?.slice(0, maxKeptAnswer).replaceAll('\u0000', '') ?? null,
    },
    published: isCutOff ? null : published,
    chance: { random: Math.random(), nowMs },
  };
}

async function publish(
  { providers, keys, log }: Sender,
  integration: StoredIntegration,
  { eventJson, eventId, progress, traceparent }: ClaimedDelivery,
  signal: AbortSignal,
): Promise<Published> {
  try {
    const provider = providers.get(integration.provider);
    if (!provider) throw new Error(`there is no provider ${integration.provider}`);
    const event = JSON.parse(eventJson) as Event;
    const parameters = parametersOf(keys, integration);
    const message = { parameters, event, eventJson, progress, traceparent, signal };
    return await provider.publish({ integrationId: integration.id, ...message });
  } catch (error) {
    const { name, stack } = coerceError(error);
    // Without the message: it may quote a parameter.
    const frames = stack?.split('\n').filter((line) => /^\s+at /.test(line));
    log.error({ error: name, frames, integrationId: integration.id, eventId }, 'a provider failed');
    const stateDetails = 'The message could not be made; the log of integrations says why.';
    const nothing = { status: null, retryAfter: null, responseBody: null, progress: null };
    return { state: 'failed', stateDetails, details: {}, errorCode: 'internal', next: 'retry', ...nothing };
  }
}

/** Decrypted once for as long as a dispatcher holds the integration: that is a twelfth of what a send takes of this process. */
const opened = new WeakMap<StoredIntegration, Parameters>();

function parametersOf(keys: Keyring, integration: StoredIntegration): Parameters {
  const known = opened.get(integration);
  if (known) return known;
  const parameters = openParameters(keys, integration);
  opened.set(integration, parameters);
  return parameters;
}
