import type { Event } from '@yardarm/shared/contracts/events';
import type { Parameters } from '../provider.ts';
import { slackMessage } from '../slack-message.ts';

export function slackBody(event: Event, channel: string, parameters: Parameters, baseUrl: string | null): string {
  return JSON.stringify({
    username: slackUsername(parameters),
    icon_emoji: parameters.emojiIcon || ':unleash:',
    channel: `#${channel}`,
    ...slackMessage(event, baseUrl),
  });
}

export function slackUsername({ username }: Parameters): string {
  return username || 'Unleash';
}
