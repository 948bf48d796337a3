import type { TagType } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';

export function tagTypeNotFound(name: string): AppError {
  return new AppError('not-found', `Could not find the tag type with name ${redactValue(name, [])}.`);
}

export function tagTypeExists(name: string): AppError {
  return new AppError('name-exists', `There is already a tag type called ${redactValue(name, [])}.`);
}

/** `conflict` that names the first flags with a tag of the type. */
export function tagTypeInUse(name: string, featureNames: readonly string[]): AppError {
  return new AppError(
    'conflict',
    `The tag type ${redactValue(name, [])} is in use by the flags ${featureNames.join(', ')}. Remove its tags first.`,
  );
}

/** The tag type as `data` and `preData` of its events. */
export function tagTypeEventData({ name, description, icon, color }: TagType) {
  return { name, description, icon, color };
}

export function tagTypeOrderingKey(name: string): string {
  return `tag-type:${name}`;
}
