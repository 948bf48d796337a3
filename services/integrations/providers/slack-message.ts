import { type Event, eventText, plainText, type TextPart } from '@yardarm/shared/contracts/events';

/** What both Slack providers say, as chat.postMessage and incoming webhooks take it. */
export interface SlackMessage {
  /** For notifications, and for clients that show no blocks. */
  text: string;
  blocks: unknown[];
}

/** Slack's bound on the text of a block; unleash-facts.md 4.4. */
export const longestMessage = 3_000;

/**
 * A message as rich text: its elements carry names as they are, while Slack's mrkdwn knows no escape for `*`, `_`, `~` and backticks.
 * `text` is read as mrkdwn, where `&`, `<` and `>` are escaped (a name could call `<!channel>`) and no mark can format.
 */
export function slackMessage(event: Event, baseUrl: string | null): SlackMessage {
  const parts = cut(eventText(event, baseUrl), longestMessage);
  const elements = parts.map((part) => {
    if ('words' in part) return { type: 'text', text: part.words };
    const style = { bold: true };
    return part.link === null
      ? { type: 'text', text: part.name, style }
      : { type: 'link', url: part.link, text: part.name, style };
  });
  return {
    text: fallbackText(plainText(parts)),
    blocks: [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] }],
  };
}

/** The message in words, for the outcome. */
export function slackWords(event: Event): string {
  return plainText(cut(eventText(event), longestMessage));
}

/** https://docs.slack.dev/messaging/formatting-message-text, "Escaping text"; a mark that has a word joiner at each side marks nothing. */
function fallbackText(text: string): string {
  return text
    .replace(/[*_~`]/g, '\u2060$&\u2060')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** The first `longest` characters of a text. */
export function cut(parts: readonly TextPart[], longest: number): TextPart[] {
  let left = longest;
  return parts.flatMap((part) => {
    const text = plainText([part]).slice(0, Math.max(0, left)).toWellFormed();
    left -= text.length;
    if (text === '') return [];
    return ['words' in part ? { words: text } : { ...part, name: text }];
  });
}
