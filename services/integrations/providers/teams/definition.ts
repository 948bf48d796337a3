import type { Provider } from '@yardarm/shared/contracts/integrations';
import { changeRequestEvents, flagEvents } from '../offered-events.ts';
import { customHeaders, secretUrl } from '../parameter-definitions.ts';

export const teamsDefinition: Provider = {
  name: 'teams',
  displayName: 'Microsoft Teams',
  description: 'Posts messages by a connector of Microsoft Teams.',
  deprecated: 'This integration is deprecated. Please use Microsoft Teams - Workflow instead.',
  documentationUrl:
    'https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using',
  parameters: [secretUrl('Microsoft Teams webhook URL'), customHeaders],
  events: [
    ...flagEvents,
    'feature-variants-updated',
    ...changeRequestEvents,
    ...(['change-edited', 'change-request-rejected'] as const),
  ],
};
