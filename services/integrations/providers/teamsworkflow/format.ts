import { type Event, eventLabel, eventLink, eventText } from '@yardarm/shared/contracts/events';

/**
 * An Adaptive Card in a message. The text is a RichTextBlock, whose runs contain names as they are; a TextBlock would
 * parse Markdown. https://adaptivecards.io/explorer/RichTextBlock.html
 */
export function teamsWorkflowBody(event: Event, baseUrl: string | null): string {
  const link = eventLink(event, baseUrl);
  const inlines = eventText(event, baseUrl).map((part) => {
    if ('words' in part) return { type: 'TextRun', text: part.words };
    const run = { type: 'TextRun', text: part.name, weight: 'Bolder' };
    return part.link === null ? run : { ...run, selectAction: { type: 'Action.OpenUrl', url: part.link } };
  });
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.5',
    body: [
      { type: 'TextBlock', text: eventLabel(event.type), weight: 'Bolder', size: 'Medium', wrap: true },
      { type: 'RichTextBlock', inlines },
    ],
    actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: 'Open', url: link }],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card };
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}
