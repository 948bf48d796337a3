import type { Provider } from '@yardarm/shared/contracts/integrations';
import { changeRequestEvents, flagEvents } from '../offered-events.ts';
import { bodyTemplate, customHeaders, secretUrl } from '../parameter-definitions.ts';

export const webhookDefinition: Provider = {
  name: 'webhook',
  displayName: 'Webhook',
  description:
    'Posts events to a URL of your choice, with retries, headers and signatures as Standard Webhooks has them.',
  documentationUrl: 'https://www.standardwebhooks.com/',
  parameters: [
    secretUrl('Webhook URL'),
    {
      name: 'contentType',
      displayName: 'Content-Type',
      description: 'The Content-Type header; application/json unless given.',
      placeholder: 'application/json',
      type: 'text',
      required: false,
      sensitive: false,
    },
    {
      name: 'authorization',
      displayName: 'Authorization',
      description: 'The Authorization header, if the endpoint asks for one.',
      type: 'text',
      required: false,
      sensitive: true,
    },
    {
      name: 'signingSecret',
      displayName: 'Signing secret',
      description:
        'whsec_ and 24 to 64 random bytes in base64. Every message is then signed in webhook-signature. To replace a secret give both with a space between, until the endpoint knows the new one.',
      placeholder: 'whsec_',
      type: 'text',
      required: false,
      sensitive: true,
    },
    customHeaders,
    bodyTemplate(
      'the body is the event as JSON',
      '{ "event": "{{event.type}}", "createdBy": "{{event.createdBy}}", "json": {{{eventJson}}} }',
    ),
  ],
  events: [
    ...flagEvents,
    ...(['feature-completed', 'feature-variants-updated', 'feature-tagged', 'feature-untagged'] as const),
    ...changeRequestEvents,
  ],
};
