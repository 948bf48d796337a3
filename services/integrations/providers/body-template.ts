import { eventMarkdown } from '@yardarm/shared/contracts/events';
import Mustache from 'mustache';
import type { Publication } from './provider.ts';
import { fillTemplate } from './template.ts';

/**
 * Fills a Mustache template with `event`, `eventJson` and `eventMarkdown`. Values are never parsed as a template.
 * Double braces escape for HTML, as in Mustache, and in a JSON body also for JSON strings: a name with a backslash
 * would break it. Throws a TemplateError if the template exceeds the limits.
 */
export function renderBodyTemplate(
  template: string,
  { event, eventJson, onRendered }: Publication,
  { isJson, baseUrl }: { isJson: boolean; baseUrl: string | null },
): string {
  const view = { event, eventJson, eventMarkdown: eventMarkdown(event, baseUrl) };
  const escapeText = (text: string) => {
    const html = Mustache.escape(text);
    return isJson ? JSON.stringify(html).slice(1, -1) : html;
  };
  const body = fillTemplate(template, view, escapeText);
  onRendered(body);
  return body;
}
