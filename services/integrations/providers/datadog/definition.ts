import type { Provider } from '@yardarm/shared/contracts/integrations';
import { flagEvents } from '../offered-events.ts';
import { bodyTemplate, customHeaders } from '../parameter-definitions.ts';

export const datadogDefinition: Provider = {
  name: 'datadog',
  displayName: 'Datadog',
  description: 'Posts events to the event stream of Datadog.',
  documentationUrl: 'https://docs.datadoghq.com/api/latest/events/post-an-event/',
  parameters: [
    {
      name: 'url',
      displayName: 'Datadog events URL',
      description: 'Needed for every site but US1.',
      placeholder: 'https://api.datadoghq.eu/api/v1/events',
      type: 'url',
      required: false,
      sensitive: false,
      destination: true,
    },
    {
      name: 'apiKey',
      displayName: 'Datadog API key',
      description: 'An API key of the organization.',
      type: 'text',
      required: true,
      sensitive: true,
    },
    {
      name: 'sourceTypeName',
      displayName: 'Datadog source type name',
      description: 'The source_type_name of the events, of the list that Datadog documents.',
      type: 'text',
      required: false,
      sensitive: false,
    },
    customHeaders,
    bodyTemplate('the text says in Markdown what happened', '{{event.createdBy}}: {{event.type}}'),
  ],
  tagTypes: [{ name: 'datadog', description: 'A tag that the events of the flag have in Datadog.', icon: 'D' }],
  events: [...flagEvents, 'feature-environment-variants-updated'],
};
