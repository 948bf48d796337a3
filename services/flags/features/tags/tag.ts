import type { Tag } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';

export function tagNotFound({ type, value }: Tag): AppError {
  return new AppError(
    'not-found',
    `Could not find the tag with type and value ${redactValue(`${type}:${value}`, [])}.`,
  );
}

/** `bad-data` that names the type, where a body refers to it. */
export function unknownTagType(type: string): AppError {
  return new AppError(
    'bad-data',
    `The .type property should be an existing tag type. You sent ${redactValue(type, [])}.`,
  );
}

/** `conflict` that names the first flags with the tag. */
export function tagInUse({ type, value }: Tag, featureNames: readonly string[]): AppError {
  const tag = redactValue(`${type}:${value}`, []);
  return new AppError(
    'conflict',
    `The tag ${tag} is in use by the flags ${featureNames.join(', ')}. Remove it from them first.`,
  );
}

export function tooManyTags(featureName: string, count: number, maxTags: number): AppError {
  return new AppError(
    'limit-exceeded',
    `A flag may have at most ${maxTags} tags. With this change the flag ${redactValue(featureName, [])} has ${count}.`,
  );
}

export function tagOrderingKey({ type, value }: Tag): string {
  return `tag:${type}:${value}`;
}

/** The same for equal tags. A type contains no colon in new data, but old data may. */
export function tagKey({ type, value }: Tag): string {
  return JSON.stringify([type, value]);
}
