import type { Provider } from '@yardarm/shared/contracts/integrations';
import { customHeaders, secretUrl } from '../parameter-definitions.ts';
import { teamsDefinition } from '../teams/definition.ts';

export const teamsWorkflowDefinition: Provider = {
  name: 'teamsworkflow',
  displayName: 'Microsoft Teams - Workflow',
  description: 'Posts cards to Microsoft Teams by a workflow that begins when a Teams webhook request is received.',
  documentationUrl:
    'https://support.microsoft.com/en-us/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
  parameters: [secretUrl('Microsoft Teams workflow URL'), customHeaders],
  events: teamsDefinition.events,
};
