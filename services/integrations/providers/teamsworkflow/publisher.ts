import type { GuardedClient } from '@yardarm/shared/http';
import { originOf, post, publishedCall } from '../call.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { teamsWorkflowDefinition } from './definition.ts';
import { teamsWorkflowBody } from './format.ts';

export function teamsWorkflow(client: GuardedClient, { baseUrl }: { baseUrl: string | null }): Publisher {
  return {
    definition: teamsWorkflowDefinition,
    async publish({ parameters, event, signal }) {
      const { url = '' } = parameters;
      const body = teamsWorkflowBody(event, baseUrl);
      const call = await post(client, { url, headers: jsonHeaders(parameters), body, signal });
      return publishedCall('Teams workflow request', call, { url: originOf(url), body });
    },
  };
}
