import type { GuardedClient } from '@yardarm/shared/http';
import { post, publishedCall, withoutQuery } from '../call.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { datadogDefinition } from './definition.ts';
import { datadogBody } from './format.ts';

export function datadog(
  client: GuardedClient,
  { baseUrl, datadogUrl }: { baseUrl: string | null; datadogUrl: string },
): Publisher {
  return {
    definition: datadogDefinition,
    async publish(publication) {
      const { parameters, signal } = publication;
      const url = parameters.url || datadogUrl;
      const body = datadogBody(publication, baseUrl);
      const headers = jsonHeaders(parameters, { 'dd-api-key': parameters.apiKey ?? '' });
      const call = await post(client, { url, headers, body, signal });
      return publishedCall('Datadog Events API request', call, { url: withoutQuery(url), body });
    },
  };
}
