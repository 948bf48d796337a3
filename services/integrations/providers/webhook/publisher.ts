import type { GuardedClient } from '@yardarm/shared/http';
import { originOf, post, publishedCall } from '../call.ts';
import type { Publisher } from '../provider.ts';
import { webhookDefinition } from './definition.ts';
import { webhookBody, webhookHeaders } from './format.ts';

export function webhook(client: GuardedClient, { baseUrl }: { baseUrl: string | null }): Publisher {
  return {
    definition: webhookDefinition,
    async publish(publication) {
      const { url = '' } = publication.parameters;
      const body = webhookBody(publication, baseUrl);
      const headers = webhookHeaders(publication, body, new Date());
      const call = await post(client, { url, headers, body, signal: publication.signal });
      return publishedCall('Webhook request', call, { url: originOf(url), body });
    },
  };
}
