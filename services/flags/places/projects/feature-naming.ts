import { compilePattern, isPattern } from '@yardarm/evaluation';
import type { FeatureNaming } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { LRUCache } from 'lru-cache';

/** Of the projects whose flags were named last. A pattern takes 1 MB at most, and up to 20 ms to compile. */
const patterns = new LRUCache<string, NonNullable<ReturnType<typeof compilePattern>>>({ max: 20 });

function patternOf(text: string): ReturnType<typeof compilePattern> {
  const known = patterns.get(text);
  if (known) return known;
  const pattern = compilePattern(text);
  if (pattern) patterns.set(text, pattern);
  return pattern;
}

/**
 * Throws `bad-data` unless a new flag of the project may have this name. The pattern comes from a user, so it is RE2,
 * which takes linear time. It matches the whole name, as in the public product.
 */
export function checkFeatureName(name: string, featureNaming: FeatureNaming | null): void {
  if (!featureNaming?.pattern) return;
  if (patternOf(featureNaming.pattern)?.matches(name)) return;
  const { pattern, example, description } = featureNaming;
  const hints = [example ? ` Example: ${example}.` : '', description ? ` ${description}` : ''].join('');
  throw new AppError(
    'bad-data',
    `The .name property should match the naming pattern of the project: ${pattern}. You sent ${redactValue(name, [])}.${hints}`,
  );
}

/** The rule as it is stored; null without a pattern. Throws `bad-data` for a pattern that is not RE2. */
export function checkedFeatureNaming({ pattern, example, description }: FeatureNaming): FeatureNaming | null {
  if (!pattern) return null;
  const naming = { pattern, example: example || null, description: description || null };
  if (!isPattern(pattern)) {
    const sent = redactValue(pattern, []);
    throw new AppError(
      'bad-data',
      `The .featureNaming.pattern property should be a pattern in RE2 syntax. You sent ${sent}.`,
    );
  }
  if (naming.example !== null && !compilePattern(pattern)?.matches(naming.example)) {
    const sent = redactValue(naming.example, []);
    throw new AppError('bad-data', `The .featureNaming.example property should match the pattern. You sent ${sent}.`);
  }
  return naming;
}
