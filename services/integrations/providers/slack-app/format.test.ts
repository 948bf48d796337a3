import fc from 'fast-check';
import { expect, it } from 'vitest';
import { baseUrl, goldenEvent } from '../../testing/publications.ts';
import { truncate } from '../slack-message.ts';
import { slackAppBody, slackRefusal } from './format.ts';

it('a message follows the documentation of chat.postMessage and rich text', () => {
  // https://docs.slack.dev/reference/methods/chat.postMessage and
  // https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
  const page = `${baseUrl}/projects/default`;
  expect(JSON.parse(slackAppBody(goldenEvent, 'C123ABC456', baseUrl))).toEqual({
    channel: 'C123ABC456',
    text: 'ada@example.com enabled checkout for the production environment in project default',
    mrkdwn: false,
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'ada@example.com', style: { bold: true } },
              { type: 'text', text: ' enabled ' },
              { type: 'link', url: `${page}/features/checkout`, text: 'checkout', style: { bold: true } },
              { type: 'text', text: ' for the ' },
              { type: 'text', text: 'production', style: { bold: true } },
              { type: 'text', text: ' environment in project ' },
              { type: 'link', url: page, text: 'default', style: { bold: true } },
            ],
          },
        ],
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  });
});

it('no name can call a channel or make a link: & < > are escaped in the text, and rich text parses nothing', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[<>&!|@#*_~`a:/]{1,20}$/), (featureName) => {
      const { text, blocks } = JSON.parse(slackAppBody({ ...goldenEvent, featureName }, 'C1', null));
      expect(text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      const { elements } = blocks[0].elements[0];
      expect(elements[2]).toEqual({ type: 'text', text: featureName, style: { bold: true } });
      expect(new Set(elements.map(({ type }: { type: string }) => type))).toEqual(new Set(['text']));
    }),
  );
});

it('a long text is truncated, and never within a character', () => {
  const parts = [{ words: 'four' }, { name: 'ab\u{1F6A2}', link: null }, { words: 'more' }];
  expect(truncate(parts, 100)).toEqual(parts);
  expect(truncate(parts, 6)).toEqual([{ words: 'four' }, { name: 'ab', link: null }]);
  expect(truncate(parts, 7)).toEqual([{ words: 'four' }, { name: 'ab\u{1F6A2}', link: null }]);
  expect(truncate(parts, 4)).toEqual([{ words: 'four' }]);
});

it.each([
  // https://docs.slack.dev/reference/methods/chat.postMessage, "Example responses"
  ['{"ok":true,"channel":"C123ABC456","ts":"1503435956.000247","message":{"text":"Here"}}', null],
  ['{"ok":false,"error":"too_many_attachments"}', 'too_many_attachments'],
  ['{"ok":false,"error":"xoxb-secret <script>"}', 'no answer of Slack'],
  ['<html>', 'no answer of Slack'],
  ['null', 'no answer of Slack'],
])('the answer %s means %s', (body, refusal) => {
  expect(slackRefusal(body)).toBe(refusal);
});
