import { expect, it } from 'vitest';
import { baseUrl, goldenEvent } from '../../testing/publications.ts';
import { teamsWorkflowBody } from './format.ts';

it('a card follows the documentation of Adaptive Cards for Teams webhooks', () => {
  // "Send Adaptive Cards" of
  // https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
  // and https://adaptivecards.io/explorer/RichTextBlock.html
  const page = `${baseUrl}/projects/default`;
  const open = (url: string) => ({ selectAction: { type: 'Action.OpenUrl', url } });
  expect(JSON.parse(teamsWorkflowBody(goldenEvent, baseUrl))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.5',
          body: [
            { type: 'TextBlock', text: 'Flag enabled', weight: 'Bolder', size: 'Medium', wrap: true },
            {
              type: 'RichTextBlock',
              inlines: [
                { type: 'TextRun', text: 'ada@example.com', weight: 'Bolder' },
                { type: 'TextRun', text: ' enabled ' },
                { type: 'TextRun', text: 'checkout', weight: 'Bolder', ...open(`${page}/features/checkout`) },
                { type: 'TextRun', text: ' for the ' },
                { type: 'TextRun', text: 'production', weight: 'Bolder' },
                { type: 'TextRun', text: ' environment in project ' },
                { type: 'TextRun', text: 'default', weight: 'Bolder', ...open(page) },
              ],
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Open', url: `${page}/features/checkout` }],
        },
      },
    ],
  });
});

it('a hostile name is in a run, which parses no Markdown, and nowhere else', () => {
  const featureName = '**[a](b)** <at>all</at>';
  const body = teamsWorkflowBody({ ...goldenEvent, featureName }, null);
  const { inlines } = JSON.parse(body).attachments[0].content.body[1];
  expect(inlines[2]).toEqual({ type: 'TextRun', text: featureName, weight: 'Bolder' });
  expect(body.split(JSON.stringify(featureName)).length).toBe(2);
});
