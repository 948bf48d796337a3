import type { GuardedClient } from '@yardarm/shared/http';
import { post, publishedCall, withoutQuery } from '../call.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { newRelicDefinition } from './definition.ts';
import { newRelicBody } from './format.ts';

export function newRelic(client: GuardedClient, { baseUrl }: { baseUrl: string | null }): Publisher {
  return {
    definition: newRelicDefinition,
    async publish(publication) {
      const { parameters, signal } = publication;
      const { url = '', licenseKey = '' } = parameters;
      const body = newRelicBody(publication, baseUrl);
      const call = await post(client, {
        url,
        headers: jsonHeaders(parameters, { 'api-key': licenseKey }),
        body,
        signal,
      });
      return publishedCall('New Relic Events API request', call, { url: withoutQuery(url), body });
    },
  };
}
