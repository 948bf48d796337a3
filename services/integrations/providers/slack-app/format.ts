import type { Event } from '@yardarm/shared/contracts/events';
import { slackMessage } from '../slack-message.ts';

/** The body of chat.postMessage, without previews of our own pages. */
export function slackAppBody(event: Event, channel: string, baseUrl: string | null): string {
  return JSON.stringify({ channel, ...slackMessage(event, baseUrl), unfurl_links: false, unfurl_media: false });
}

/** Slack answers 200 to refused requests too. `error` is a documented code; other text is not passed on. */
export function slackRefusal(body: string): string | null {
  const answer = parsed(body) as { ok?: unknown; error?: unknown } | null;
  if (answer?.ok === true) return null;
  return typeof answer?.error === 'string' && /^[a-z_]{1,64}$/.test(answer.error) ? answer.error : 'no answer of Slack';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
