import type { Provider } from '@yardarm/shared/contracts/integrations';

type ParameterDefinition = Provider['parameters'][number];

/** Sensitive, because headers carry keys and their names do not show which. The public product does the same. */
export const customHeaders: ParameterDefinition = {
  name: 'customHeaders',
  displayName: 'Extra HTTP headers',
  description: 'A JSON object of strings. Headers of these names replace ours.',
  placeholder: '{ "x-team": "checkout" }',
  type: 'textfield',
  required: false,
  sensitive: true,
};

/** A Mustache template; `instead` describes the body without it. */
export function bodyTemplate(instead: string, placeholder: string): ParameterDefinition {
  return {
    name: 'bodyTemplate',
    displayName: 'Body template',
    description: `A Mustache template; unless given ${instead}. It knows event with all its fields, eventJson (in triple braces) and eventMarkdown.`,
    placeholder,
    type: 'textfield',
    required: false,
    sensitive: false,
  };
}

/** A URL that is the only secret of its endpoint: everyone who knows it can post there. */
export function secretUrl(displayName: string): ParameterDefinition {
  return {
    name: 'url',
    displayName,
    description: 'Where messages are posted to. Whoever knows it can post there, so it is masked.',
    placeholder: 'https://',
    type: 'url',
    required: true,
    sensitive: true,
    destination: true,
  };
}
