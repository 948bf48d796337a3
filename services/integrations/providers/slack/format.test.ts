import { expect, it } from 'vitest';
import { goldenEvent } from '../../testing/publications.ts';
import { slackBody } from './format.ts';

it('a message follows the documentation of legacy incoming webhooks', () => {
  // https://docs.slack.dev/legacy/legacy-custom-integrations/legacy-custom-integrations-incoming-webhooks
  const bodyWith = (parameters: Record<string, string>) =>
    JSON.parse(slackBody(goldenEvent, 'general', parameters, null));
  expect(bodyWith({ username: 'webhookbot', emojiIcon: ':ghost:' })).toMatchObject({
    channel: '#general',
    username: 'webhookbot',
    text: 'ada@example.com enabled checkout for the production environment in project default',
    icon_emoji: ':ghost:',
  });
  expect(bodyWith({ username: '' })).toMatchObject({ username: 'Unleash', icon_emoji: ':unleash:' });
});
