import { expect, it } from 'vitest';
import { baseUrl, goldenEvent } from '../../testing/publications.ts';
import { teamsBody, teamsRefusal } from './format.ts';

it('a card follows the MessageCard reference', () => {
  // https://learn.microsoft.com/en-us/outlook/actionable-messages/message-card-reference
  const page = `${baseUrl}/projects/default`;
  expect(JSON.parse(teamsBody(goldenEvent, baseUrl))).toEqual({
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: '0076D7',
    title: 'Flag enabled',
    summary: 'ada@example.com enabled checkout for the production environment in project default',
    text: `**ada@example.com** enabled **[checkout](${page}/features/checkout)** for the **production** environment in project **[default](${page})**`,
    sections: [
      {
        facts: [
          { name: 'User', value: '**ada@example.com**' },
          { name: 'Action', value: 'feature-environment-enabled' },
        ],
      },
    ],
    potentialAction: [
      { '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: `${page}/features/checkout` }] },
    ],
  });
  expect(JSON.parse(teamsBody(goldenEvent, null)).potentialAction).toEqual([]);
});

it('a hostile name is escaped wherever Markdown is read', () => {
  const { text, sections } = JSON.parse(teamsBody({ ...goldenEvent, createdBy: '[a](b)\n# <b>' }, null));
  expect(text).toMatch(/^\*\*\\\[a\\\]\\\(b\) \\# &lt;b&gt;\*\* enabled /);
  expect(sections[0].facts[0].value).toBe('**\\[a\\]\\(b) \\# &lt;b&gt;**');
});

it('a body that reports a refusal is a refusal', () => {
  const body =
    'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=1';
  expect(teamsRefusal(body)).toBe('Microsoft Teams endpoint returned HTTP error 429');
  expect(teamsRefusal('1')).toBeNull();
});
