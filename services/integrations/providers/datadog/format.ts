import { eventMarkdown } from '@yardarm/shared/contracts/events';
import { renderBodyTemplate } from '../body-template.ts';
import type { Publication } from '../provider.ts';

const maxTextLength = 4_000;

/** An event of Datadog: Markdown, or the filled template, between the marks that enable Markdown. */
export function datadogBody(publication: Publication, baseUrl: string | null): string {
  const { parameters, event } = publication;
  const text = parameters.bodyTemplate
    ? renderBodyTemplate(parameters.bodyTemplate, publication, { isJson: false, baseUrl })
    : eventMarkdown(event, baseUrl);
  const tags = event.tags.filter(({ type }) => type === 'datadog').map(({ value }) => value);
  return JSON.stringify({
    title: 'Unleash notification update',
    text: `%%% \n ${text.slice(0, maxTextLength - marks).toWellFormed()} \n %%% `,
    ...(parameters.sourceTypeName ? { source_type_name: parameters.sourceTypeName } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  });
}

const marks = '%%% \n  \n %%% '.length;
