import type { Provider } from '@yardarm/shared/contracts/integrations';
import { changeRequestEvents, flagEvents } from '../offered-events.ts';

export const slackAppDefinition: Provider = {
  name: 'slack-app',
  displayName: 'App for Slack',
  description: 'Posts messages to channels of your Slack workspace, by an app of your own with the scope chat:write.',
  documentationUrl: 'https://docs.slack.dev/reference/methods/chat.postMessage',
  installation: {
    url: 'https://api.slack.com/apps?new_app=1',
    title: 'Installation of an app',
    helpText:
      'Make an app, give its bot the scope chat:write, install it in your workspace and paste its bot token here.',
  },
  parameters: [
    {
      name: 'accessToken',
      displayName: 'Access token',
      description: 'The bot token of the app.',
      placeholder: 'xoxb-',
      type: 'text',
      required: true,
      sensitive: true,
    },
    {
      name: 'defaultChannels',
      displayName: 'Channels',
      description:
        'Names or ids with commas between. They get every message, besides the channels that slack tags of the flag name.',
      placeholder: 'general, C0123456789',
      type: 'text',
      required: false,
      sensitive: false,
    },
  ],
  tagTypes: [{ name: 'slack', description: 'A channel of Slack that is told of what happens to the flag.', icon: 'S' }],
  events: [
    ...flagEvents,
    ...(['feature-deleted', 'feature-tagged', 'feature-untagged', 'feature-environment-variants-updated'] as const),
    ...changeRequestEvents,
    ...(['change-edited', 'change-request-rejected'] as const),
    ...(['addon-config-created', 'addon-config-updated', 'addon-config-deleted'] as const),
    ...(['api-token-created', 'api-token-deleted', 'banner-created', 'banner-updated', 'banner-deleted'] as const),
    ...(['context-field-created', 'context-field-updated', 'context-field-deleted'] as const),
    ...(['group-created', 'group-updated', 'group-deleted'] as const),
    ...(['project-created', 'project-archived', 'project-deleted'] as const),
    ...(['segment-created', 'segment-updated', 'segment-deleted'] as const),
    ...(['service-account-created', 'service-account-updated', 'service-account-deleted'] as const),
    ...(['user-created', 'user-updated', 'user-deleted'] as const),
  ],
};
