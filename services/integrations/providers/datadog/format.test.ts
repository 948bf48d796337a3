import { expect, it } from 'vitest';
import { goldenEvent, somePublication } from '../../testing/publications.ts';
import { datadogBody } from './format.ts';

const bodyWith = (parameters: Record<string, string>, event = goldenEvent) =>
  JSON.parse(datadogBody(somePublication({ parameters, event }), null));

it('an event follows the Events API, with its text as Markdown', () => {
  // https://docs.datadoghq.com/api/latest/events/post-an-event/ (v1). The marks:
  // https://docs.datadoghq.com/events/guides/markdown_events/
  const tags = [
    { type: 'datadog', value: 'team:checkout' },
    { type: 'slack', value: 'general' },
  ];
  expect(bodyWith({ sourceTypeName: 'my apps' }, { ...goldenEvent, tags })).toEqual({
    title: 'Unleash notification update',
    text: '%%% \n **ada@example.com** enabled **checkout** for the **production** environment in project **default** \n %%% ',
    source_type_name: 'my apps',
    tags: ['team:checkout'],
  });
  expect(Object.keys(bodyWith({}))).toEqual(['title', 'text']);
});

it('a template makes the text, which is truncated to Datadog’s limit', () => {
  expect(bodyWith({ bodyTemplate: '{{event.type}}' }).text).toBe('%%% \n feature-environment-enabled \n %%% ');
  const { text } = bodyWith({ bodyTemplate: '\u{1F6A2}'.repeat(4_000) });
  expect(text.length).toBe(4_000);
  expect(text).toMatch(/ \n %%% $/);
});

it('no name can end the Markdown', () => {
  const { text } = bodyWith({}, { ...goldenEvent, featureName: '%%%%', project: 'a%%%b' });
  expect(text.split('%%%').length).toBe(3);
});
