import type { GuardedClient } from '@yardarm/shared/http';
import { originOf, post } from '../call.ts';
import { channelsIn, publishToChannels, taggedChannels } from '../channels.ts';
import { jsonHeaders } from '../headers.ts';
import type { Publisher } from '../provider.ts';
import { slackPlainText } from '../slack-message.ts';
import { slackDefinition } from './definition.ts';
import { slackBody, slackUsername } from './format.ts';

/** Posts to an incoming webhook of Slack: to the channels of the flag's tags, else to the default one. */
export function slack(client: GuardedClient, { baseUrl }: { baseUrl: string | null }): Publisher {
  return {
    definition: slackDefinition,
    publish({ parameters, event, progress, signal }) {
      const { url = '', defaultChannel = '' } = parameters;
      const tagged = taggedChannels(event);
      const channels = tagged.length > 0 ? tagged : channelsIn(defaultChannel);
      const headers = jsonHeaders(parameters);
      const details = {
        url: originOf(url),
        channels,
        username: slackUsername(parameters),
        message: slackPlainText(event),
      };
      return publishToChannels('Slack webhook calls', { channels, progress, details }, (channel) =>
        post(client, { url, headers, body: slackBody(event, channel, parameters, baseUrl), signal }),
      );
    },
  };
}
