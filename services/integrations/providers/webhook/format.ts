import { childTraceparent } from '@yardarm/shared/telemetry';
import { Webhook } from 'standardwebhooks';
import { renderBodyTemplate } from '../body-template.ts';
import { customHeadersOf, signingSecretsOf } from '../parameters.ts';
import type { Publication } from '../provider.ts';

export function webhookBody(publication: Publication, baseUrl: string | null): string {
  const { bodyTemplate } = publication.parameters;
  if (!bodyTemplate) return publication.eventJson;
  const isJson = /json/i.test(ownHeaders(publication)['content-type'] ?? '');
  return renderBodyTemplate(bodyTemplate, publication, { isJson, baseUrl });
}

/**
 * The headers of one attempt with this body, as Standard Webhooks defines them. webhook-id is the same at every
 * attempt. After a restore of the database the log gives public ids again, so the epoch is part of it: receivers drop a
 * webhook-id that they know. The timestamp is the attempt's, and so are the signatures, one per secret.
 */
export function webhookHeaders(publication: Publication, body: string, now: Date): Record<string, string> {
  const { parameters, integrationId, event, traceparent, epoch } = publication;
  const id = `evt_${integrationId}_${event.id}${epoch === null ? '' : `_${epoch}`}`;
  const signatures = signingSecretsOf(parameters).map((secret) => new Webhook(secret).sign(id, now, body));
  return {
    ...ownHeaders(publication),
    traceparent: childTraceparent(traceparent),
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    ...(signatures.length > 0 ? { 'webhook-signature': signatures.join(' ') } : {}),
  };
}

function ownHeaders({ parameters }: Publication): Record<string, string> {
  return {
    'user-agent': 'yardarm',
    'content-type': parameters.contentType || 'application/json',
    ...(parameters.authorization ? { authorization: parameters.authorization } : {}),
    ...customHeadersOf(parameters),
  };
}
