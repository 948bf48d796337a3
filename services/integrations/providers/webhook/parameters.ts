import { headerFault } from '@yardarm/shared/http';
import Mustache from 'mustache';
import type { ParameterFault, Parameters } from '../provider.ts';

/** Set by the delivery; an endpoint that tells repeated messages by them must be able to trust them. */
const ownHeaders = /^webhook-(id|timestamp|signature)$/i;

const checks: Record<string, (value: string) => string | null> = {
  url: urlComplaint,
  contentType: (value) => headerComplaint('content-type', value),
  authorization: (value) => headerComplaint('authorization', value),
  customHeaders: customHeadersComplaint,
  bodyTemplate: templateComplaint,
};

/** What is wrong with the parameters of a webhook, as far as can be said without calling it. */
export function webhookFaults(parameters: Parameters): ParameterFault[] {
  return Object.entries(checks).flatMap(([name, check]) => {
    const complaint = parameters[name] ? check(parameters[name]) : null;
    return complaint === null ? [] : [{ name, complaint }];
  });
}

/** The custom headers of checked parameters, by their names in lower case. */
export function customHeadersOf(parameters: Parameters): Record<string, string> {
  if (!parameters.customHeaders) return {};
  const headers = JSON.parse(parameters.customHeaders) as Record<string, string>;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function urlComplaint(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return 'should be a URL that begins with http:// or https://';
  if (url.username !== '' || url.password !== '') {
    return 'should have no user name or password in it; use the authorization parameter';
  }
  return null;
}

function headerComplaint(name: string, value: string): string | null {
  return headerFault({ [name]: value }) === null ? null : 'should have only characters that a header can carry';
}

function customHeadersComplaint(value: string): string | null {
  const headers = parsed(value);
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isObject || Object.values(headers).some((header) => typeof header !== 'string')) {
    return 'should be a JSON object whose values are strings';
  }
  const own = Object.keys(headers).find((name) => ownHeaders.test(name));
  const fault = own === undefined ? headerFault(headers as Record<string, string>) : `the header ${own} cannot be set`;
  return fault === null ? null : `should hold headers that can be sent: ${fault}`;
}

function templateComplaint(value: string): string | null {
  try {
    Mustache.parse(value);
    return null;
  } catch {
    return 'should be a Mustache template; a tag or a section of it is not closed';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
