import { type Event, eventText, plainText, type TextPart } from '@yardarm/shared/contracts/events';

/** The message of both Slack providers, for chat.postMessage and incoming webhooks. */
export interface SlackMessage {
  /** For notifications, and for clients that show no blocks. */
  text: string;
  mrkdwn: false;
  blocks: unknown[];
}

/** Slack refuses a block with a longer text. */
export const maxMessageLength = 3_000;

/**
 * A message as rich text. Its elements contain names as they are; Slack's mrkdwn has no escape for `*`, `_`, `~` and
 * backticks. mrkdwn is disabled for `text`. `&`, `<` and `>` are still escaped, or a name could call `<!channel>`.
 */
export function slackMessage(event: Event, baseUrl: string | null): SlackMessage {
  const parts = truncate(eventText(event, baseUrl), maxMessageLength);
  const elements = parts.map((part) => {
    if ('words' in part) return { type: 'text', text: part.words };
    const style = { bold: true };
    return part.link === null
      ? { type: 'text', text: part.name, style }
      : { type: 'link', url: part.link, text: part.name, style };
  });
  return {
    text: escapeForSlack(plainText(parts)),
    mrkdwn: false,
    blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
  };
}

export function slackPlainText(event: Event): string {
  return plainText(truncate(eventText(event), maxMessageLength));
}

/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text". */
function escapeForSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

export function truncate(parts: readonly TextPart[], maxLength: number): TextPart[] {
  let left = maxLength;
  return parts.flatMap((part) => {
    const characters = [...plainText([part])].slice(0, left);
    left -= characters.length;
    if (characters.length === 0) return [];
    const text = characters.join('');
    return ['words' in part ? { words: text } : { ...part, name: text }];
  });
}
