import { eventMarkdown } from '@yardarm/shared/contracts/events';
import Mustache from 'mustache';
import type { Publication } from './provider.ts';
import { filledIn } from './template.ts';

/**
 * A Mustache template filled in with `event`, `eventJson` and `eventMarkdown`. Values are data and never read as a template. Double
 * braces escape for HTML, as Mustache does; in a JSON body for JSON strings too, or a name with a backslash would break the body.
 * Throws a TemplateFault where the template asks for too much.
 */
export function renderBodyTemplate(
  template: string,
  { event, eventJson }: Publication,
  { isJson, baseUrl }: { isJson: boolean; baseUrl: string | null },
): string {
  const view = { event, eventJson, eventMarkdown: eventMarkdown(event, baseUrl) };
  const escaped = (text: string) => {
    const html = Mustache.escape(text);
    return isJson ? JSON.stringify(html).slice(1, -1) : html;
  };
  return filledIn(template, view, escaped);
}
