import type { Provider } from '@yardarm/shared/contracts/integrations';
import type { Parameters, Published } from './provider.ts';

/** A part of a path that is shorter is a word of the vendor's. */
const shortestSecretSegment = 16;

/** Shorter ones stand within other words by chance, and are struck out only where they are a word of their own. */
const shortestAnywhere = 8;

/** Shorter ones are flags and numbers, not secrets; to strike them out would make answers unreadable. */
const shortestSecret = 4;

/**
 * What was published without the integration's secrets. Endpoints that echo what they were sent are common, and their answers are kept
 * and shown to people who may see no secret.
 */
export function withoutSecrets(definition: Provider, parameters: Parameters, published: Published): Published {
  const secrets = secretsOf(definition, parameters);
  const cleaned = (text: string) => secrets.reduce<string>((rest, secret) => rest.replaceAll(secret, '*****'), text);
  const cleanedValue = (value: unknown): unknown => (typeof value === 'string' ? cleaned(value) : value);
  return {
    ...published,
    stateDetails: cleaned(published.stateDetails),
    details: Object.fromEntries(
      Object.entries(published.details).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map(cleanedValue) : cleanedValue(value),
      ]),
    ),
    responseBody: published.responseBody === null ? null : cleaned(published.responseBody),
  };
}

/** Found once for as long as the parameters are held in memory, since every delivery asks. */
const found = new WeakMap<Parameters, (string | RegExp)[]>();

/** Every form in which a sensitive parameter may come back: whole, a URL's path and query, each header of a JSON object, each of two secrets; longest first. */
function secretsOf({ parameters: defined }: Provider, parameters: Parameters): (string | RegExp)[] {
  const known = found.get(parameters);
  if (known) return known;
  const whole = defined.flatMap(({ name, sensitive }) => (sensitive && parameters[name] ? [parameters[name]] : []));
  const parts = whole.flatMap((value) => {
    const texts = [value, ...headerValues(value)];
    return [...texts, ...urlParts(value), ...texts.flatMap((text) => text.split(/\s+/))];
  });
  const asJson = parts.map((part) => JSON.stringify(part).slice(1, -1));
  const all = [...new Set([...parts, ...asJson])].sort((a, b) => b.length - a.length);
  const short = all.filter(({ length }) => length >= shortestSecret && length < shortestAnywhere);
  const secrets = [
    ...all.filter(({ length }) => length >= shortestAnywhere),
    ...(short.length > 0 ? [asWords(short)] : []),
  ];
  found.set(parameters, secrets);
  return secrets;
}

/** All in one, as a text is searched as often as there are expressions. */
function asWords(texts: readonly string[]): RegExp {
  const letter = '[\\p{L}\\p{N}_]';
  return new RegExp(`(?<!${letter})(?:${texts.map((text) => RegExp.escape(text)).join('|')})(?!${letter})`, 'gu');
}

function urlParts(value: string): string[] {
  if (!URL.canParse(value)) return [];
  const { pathname, search, searchParams } = new URL(value);
  const segments = pathname.split('/').filter((segment) => segment.length >= shortestSecretSegment);
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
