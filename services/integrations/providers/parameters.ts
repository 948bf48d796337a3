import { headerProblem } from '@yardarm/shared/http';
import { channelsIn, maxChannels } from './channels.ts';
import type { ParameterProblem, Parameters } from './provider.ts';
import { templateError } from './template.ts';

/** The delivery sets these. An endpoint that detects repeated messages must be able to trust them. */
const ownHeaders = /^webhook-(id|timestamp|signature)$/i;

/** Standard Webhooks, "Signature scheme": from 24 to 64 random bytes. */
const secretBytes = { min: 24, max: 64 };

/** Slack's limit on the name of a channel. */
const maxChannelLength = 80;

/** A parameter name means the same to every provider. */
const checks: Record<string, (value: string) => string | null> = {
  url: urlComplaint,
  contentType: (value) => headerComplaint('content-type', value),
  authorization: (value) => headerComplaint('authorization', value),
  accessToken: (value) => headerComplaint('authorization', value),
  apiKey: (value) => headerComplaint('dd-api-key', value),
  licenseKey: (value) => headerComplaint('api-key', value),
  customHeaders: customHeadersComplaint,
  bodyTemplate: (value) => templateError(value)?.message ?? null,
  signingSecret: signingSecretComplaint,
  defaultChannel: channelsComplaint,
  defaultChannels: channelsComplaint,
};

export function parameterProblems(parameters: Parameters): ParameterProblem[] {
  return Object.entries(checks).flatMap(([name, check]) => {
    const complaint = parameters[name] ? check(parameters[name]) : null;
    return complaint === null ? [] : [{ name, complaint }];
  });
}

export function customHeadersOf(parameters: Parameters): Record<string, string> {
  if (!parameters.customHeaders) return {};
  const headers = JSON.parse(parameters.customHeaders) as Record<string, string>;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function signingSecretsOf({ signingSecret = '' }: Parameters): string[] {
  return signingSecret.split(/\s+/).filter((secret) => secret !== '');
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
  return headerProblem({ [name]: value }) === null ? null : 'should have only characters that a header can carry';
}

function customHeadersComplaint(value: string): string | null {
  const headers = parsed(value);
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (!isObject || Object.values(headers).some((header) => typeof header !== 'string')) {
    return 'should be a JSON object whose values are strings';
  }
  const own = Object.keys(headers).find((name) => ownHeaders.test(name));
  const problem =
    own === undefined ? headerProblem(headers as Record<string, string>) : `the header ${own} cannot be set`;
  return problem === null ? null : `should hold headers that can be sent: ${problem}`;
}

function signingSecretComplaint(value: string): string | null {
  const secrets = signingSecretsOf({ signingSecret: value });
  const isGood = secrets.length >= 1 && secrets.length <= 2 && secrets.every(isSigningSecret);
  return isGood
    ? null
    : `should be whsec_ and ${secretBytes.min} to ${secretBytes.max} bytes in base64, or two of these with a space between`;
}

function isSigningSecret(secret: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const { length } = Buffer.from(base64, 'base64');
  return base64.length % 4 === 0 && length >= secretBytes.min && length <= secretBytes.max;
}

function channelsComplaint(value: string): string | null {
  const channels = channelsIn(value);
  if (channels.length > maxChannels) return `should name at most ${maxChannels} channels`;
  return channels.every((channel) => /^[^\s,]+$/u.test(channel) && channel.length <= maxChannelLength)
    ? null
    : `should be names or ids of channels with a comma between, at most ${maxChannelLength} characters each`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
