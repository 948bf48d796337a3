import type { GuardedClient } from '@yardarm/shared/http';
import { post } from '../call.ts';
import { channelsIn, publishToChannels, taggedChannels } from '../channels.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { slackPlainText } from '../slack-message.ts';
import { slackAppDefinition } from './definition.ts';
import { slackAppBody, slackRefusal } from './format.ts';

/** Posts to the channels of the integration and of the flag's tags, through Slack's Web API. */
export function slackApp(
  client: GuardedClient,
  { baseUrl, slackApiUrl }: { baseUrl: string | null; slackApiUrl: string },
): Publisher {
  return {
    definition: slackAppDefinition,
    publish({ parameters, event, progress, signal }) {
      const { accessToken = '', defaultChannels = '' } = parameters;
      const channels = channelsIn([defaultChannels, ...taggedChannels(event)].join());
      const headers = jsonHeaders({}, { authorization: `Bearer ${accessToken}` });
      const url = `${slackApiUrl}/chat.postMessage`;
      const details = { message: slackPlainText(event), channels };
      return publishToChannels('Slack client calls', { channels, progress, details }, (channel) =>
        post(client, { url, headers, body: slackAppBody(event, channel, baseUrl), signal }, slackRefusal),
      );
    },
  };
}
