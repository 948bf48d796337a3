import type { Provider } from '@yardarm/shared/contracts/integrations';
import { datadogDefinition } from '../datadog/definition.ts';
import { bodyTemplate, customHeaders } from '../parameter-definitions.ts';

export const newRelicDefinition: Provider = {
  name: 'new-relic',
  displayName: 'New Relic',
  description: 'Posts custom events to the Event API of New Relic.',
  documentationUrl: 'https://docs.newrelic.com/docs/data-apis/ingest-apis/event-api/introduction-event-api/',
  parameters: [
    {
      name: 'url',
      displayName: 'New Relic event URL',
      description: 'The Event API of your account and region.',
      placeholder: 'https://insights-collector.newrelic.com/v1/accounts/YOUR_ACCOUNT_ID/events',
      type: 'url',
      required: true,
      sensitive: false,
      destination: true,
    },
    {
      name: 'licenseKey',
      displayName: 'New Relic license key',
      description: 'A key that may ingest events.',
      type: 'text',
      required: true,
      sensitive: true,
    },
    customHeaders,
    bodyTemplate(
      'the body has the fields of the event',
      '{ "eventType": "Flags", "event": "{{event.type}}", "createdBy": "{{event.createdBy}}" }',
    ),
  ],
  tagTypes: [{ name: 'new-relic', description: 'A tag that the events of the flag have in New Relic.', icon: 'N' }],
  events: datadogDefinition.events,
};
