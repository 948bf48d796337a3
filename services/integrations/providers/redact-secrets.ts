import type { Provider } from '@yardarm/shared/contracts/integrations';
import type { Parameters, SendResult } from './provider.ts';

/** A shorter segment of a path is usually a word of the vendor's. */
const minSegmentLength = 16;

/** Shorter secrets occur in other words by chance, so they are redacted only as whole words. */
const minAnywhereLength = 8;

/** Shorter values are flags and numbers, not secrets; redacting them would make answers unreadable. */
const minSecretLength = 4;

/** Many endpoints echo the request, and people who may see no secret read the stored answers. */
export function redactSecrets(definition: Provider, parameters: Parameters, published: SendResult): SendResult {
  const secrets = secretsOf(definition, parameters);
  const redact = (text: string) => secrets.reduce<string>((rest, secret) => rest.replaceAll(secret, '*****'), text);
  const redactValue = (value: unknown): unknown => (typeof value === 'string' ? redact(value) : value);
  return {
    ...published,
    stateDetails: redact(published.stateDetails),
    details: Object.fromEntries(
      Object.entries(published.details).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(redactValue) : redactValue(value),
      ]),
    ),
    responseBody: published.responseBody === null ? null : redact(published.responseBody),
  };
}

/** Cached as long as the parameters are in memory, because every delivery needs them. */
const cache = new WeakMap<Parameters, (string | RegExp)[]>();

/**
 * The forms in which a secret may return: the value, parts of a URL, headers of a JSON object, words; longest first.
 */
function secretsOf({ parameters: defined }: Provider, parameters: Parameters): (string | RegExp)[] {
  const cached = cache.get(parameters);
  if (cached) return cached;
  const whole = defined.flatMap(({ name, sensitive }) => (sensitive && parameters[name] ? [parameters[name]] : []));
  const parts = whole.flatMap((value) => {
    const texts = [value, ...headerValues(value)];
    return [...texts, ...urlParts(value), ...texts.flatMap((text) => text.split(/\s+/))];
  });
  const asJson = parts.map((part) => JSON.stringify(part).slice(1, -1));
  const all = [...new Set([...parts, ...asJson])].sort((a, b) => b.length - a.length);
  const short = all.filter(({ length }) => length >= minSecretLength && length < minAnywhereLength);
  const secrets = [
    ...all.filter(({ length }) => length >= minAnywhereLength),
    ...(short.length > 0 ? [asWords(short)] : []),
  ];
  cache.set(parameters, secrets);
  return secrets;
}

/** One expression for all, because each expression searches the text once. */
function asWords(texts: readonly string[]): RegExp {
  const letter = '[\\p{L}\\p{N}_]';
  return new RegExp(`(?<!${letter})(?:${texts.map((text) => RegExp.escape(text)).join('|')})(?!${letter})`, 'gu');
}

function urlParts(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { pathname, search, searchParams } = new URL(value);
  const segments = pathname.split('/').filter((segment) => segment.length >= minSegmentLength);
  return [pathname + search, search, ...(pathname === '/' ? [] : [pathname]), ...segments, ...searchParams.values()];
}

function headerValues(value: string): string[] {
  try {
    const headers: unknown = JSON.parse(value);
    if (typeof headers !== 'object' || headers === null) return [];
    return Object.values(headers).filter((header) => typeof header === 'string');
  } catch {
    return [];
  }
}
