import type { GuardedClient } from '@yardarm/shared/http';
import { originOf, post, publishedCall } from '../call.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { teamsDefinition } from './definition.ts';
import { teamsBody, teamsRefusal } from './format.ts';

export function teams(client: GuardedClient, { baseUrl }: { baseUrl: string | null }): Publisher {
  return {
    definition: teamsDefinition,
    async publish({ parameters, event, signal }) {
      const { url = '' } = parameters;
      const body = teamsBody(event, baseUrl);
      const call = await post(client, { url, headers: jsonHeaders(parameters), body, signal }, teamsRefusal);
      return publishedCall('Teams webhook request', call, { url: originOf(url), body });
    },
  };
}
