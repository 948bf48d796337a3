import type { Provider } from '@yardarm/shared/contracts/integrations';
import { flagEvents } from '../offered-events.ts';
import { customHeaders, secretUrl } from '../parameter-definitions.ts';

export const slackDefinition: Provider = {
  name: 'slack',
  displayName: 'Slack',
  description: 'Posts messages by an incoming webhook of Slack.',
  deprecated: 'This integration is deprecated. Please use App for Slack instead.',
  documentationUrl:
    'https://docs.slack.dev/legacy/legacy-custom-integrations/legacy-custom-integrations-incoming-webhooks',
  parameters: [
    secretUrl('Slack webhook URL'),
    {
      name: 'username',
      displayName: 'Username',
      description: 'Who the messages are from; Unleash unless given.',
      placeholder: 'Unleash',
      type: 'text',
      required: false,
      sensitive: false,
    },
    {
      name: 'emojiIcon',
      displayName: 'Emoji icon',
      description: 'The icon of the messages; :unleash: unless given.',
      placeholder: ':unleash:',
      type: 'text',
      required: false,
      sensitive: false,
    },
    {
      name: 'defaultChannel',
      displayName: 'Default channel',
      description: 'Gets what happens to flags without a slack tag.',
      type: 'text',
      required: true,
      sensitive: false,
    },
    customHeaders,
  ],
  tagTypes: [{ name: 'slack', description: 'A channel of Slack that is told of what happens to the flag.', icon: 'S' }],
  events: [...flagEvents, 'feature-variants-updated'],
};
