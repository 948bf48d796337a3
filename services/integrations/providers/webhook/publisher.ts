import type { GuardedClient } from '@yardarm/shared/http';
import { OutgoingFailed, OutgoingRefused } from '@yardarm/shared/http';
import { childTraceparent } from '@yardarm/shared/telemetry';
import Mustache from 'mustache';
import { eventMarkdown } from '../event-markdown.ts';
import type { IntegrationProvider, Publication, Published } from '../provider.ts';
import { webhookDefinition } from './definition.ts';
import { customHeadersOf, webhookFaults } from './parameters.ts';

/** Posts events to any URL. */
export function webhookProvider(client: GuardedClient): IntegrationProvider {
  return {
    definition: webhookDefinition,
    faults: webhookFaults,
    publish: (publication) => publish(client, publication),
  };
}

/** An outcome is for reading, and travels with its event in one message: a longer body is shown by its beginning. */
const longestShownBody = 64 * 1024;

async function publish(client: GuardedClient, publication: Publication): Promise<Published> {
  const { parameters, signal } = publication;
  const url = parameters.url ?? '';
  const body = webhookBody(publication);
  const nothing = { status: null, errorCode: null, retryAfter: null, responseBody: null };
  // The path and the query of a webhook's URL are often its secret.
  const details = {
    url: URL.canParse(url) ? new URL(url).origin : '',
    body: body.length > longestShownBody ? `${body.slice(0, longestShownBody)}…` : body,
  };
  try {
    const headers = webhookHeaders(publication, Date.now());
    const answer = await client.send({ url, method: 'POST', headers, body, signal });
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return {
      state: isSuccess ? 'success' : 'failed',
      stateDetails: isSuccess
        ? `Webhook request was successful with status code: ${answer.status}.`
        : `Webhook request failed with status code: ${answer.status}`,
      details,
      status: answer.status,
      errorCode: null,
      retryAfter: answer.headers['retry-after'] ?? null,
      responseBody: answer.body,
    };
  } catch (error) {
    if (error instanceof OutgoingRefused) {
      const stateDetails = `Webhook request was refused and not sent: ${error.message}. INTEGRATIONS_ALLOWED_PRIVATE lists the private addresses that may be called.`;
      return { state: 'failed', stateDetails, details, ...nothing, errorCode: 'refused' };
    }
    if (error instanceof OutgoingFailed) {
      const reason = error.message === error.code ? '' : ` (${error.message})`;
      const stateDetails = `Webhook request failed with status code: ${error.code}${reason}`;
      return { state: 'failed', stateDetails, details, ...nothing, errorCode: error.code };
    }
    throw error;
  }
}

/** The event as it is, or the template filled in. */
export function webhookBody({ parameters, event, eventJson }: Publication): string {
  if (!parameters.bodyTemplate) return eventJson;
  return Mustache.render(parameters.bodyTemplate, { event, eventJson, eventMarkdown: eventMarkdown(event) });
}

/** The headers of one attempt: webhook-id is the same at each, the time is the attempt's. */
export function webhookHeaders(publication: Publication, nowMs: number): Record<string, string> {
  const { parameters, integrationId, event, traceparent } = publication;
  return {
    'user-agent': 'yardarm',
    'content-type': parameters.contentType || 'application/json',
    ...(parameters.authorization ? { authorization: parameters.authorization } : {}),
    ...customHeadersOf(parameters),
    traceparent: childTraceparent(traceparent),
    'webhook-id': `evt_${integrationId}_${event.id}`,
    'webhook-timestamp': String(Math.floor(nowMs / 1_000)),
  };
}
