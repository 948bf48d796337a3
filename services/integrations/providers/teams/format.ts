import { type Event, eventLabel, eventLink, eventText, markdown, plainText } from '@yardarm/shared/contracts/events';

/** A MessageCard: https://learn.microsoft.com/en-us/outlook/actionable-messages/message-card-reference */
export function teamsBody(event: Event, baseUrl: string | null): string {
  const text = eventText(event, baseUrl);
  const link = eventLink(event, baseUrl);
  return JSON.stringify({
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: '0076D7',
    title: eventLabel(event.type),
    summary: plainText(text),
    text: markdown(text),
    sections: [
      {
        facts: [
          { name: 'User', value: markdown(text.slice(0, 1)) },
          { name: 'Action', value: event.type },
        ],
      },
    ],
    potentialAction:
      link === null ? [] : [{ '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: link }] }],
  });
}

/**
 * Connectors answer 200 to requests that Teams refuses, and report the refusal in the body: "Rate limiting for
 * connectors" of
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function teamsRefusal(body: string): string | null {
  return /Microsoft Teams endpoint returned HTTP error \d{3}/.exec(body)?.[0] ?? null;
}
