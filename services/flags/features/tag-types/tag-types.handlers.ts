import type { TagType, validateTagType as validateContract } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { tagTypeExists, tagTypeNotFound } from './tag-type.ts';
import { findTagType, findTagTypes } from './tag-types.repo.ts';

type ValidatedTagType = z.output<typeof validateContract.input>;

export async function listTagTypes({ db }: FlagsResources): Promise<{ tagTypes: TagType[] }> {
  return { tagTypes: await findTagTypes(db.kysely) };
}

export async function getTagType({ db }: FlagsResources, { name }: { name: string }): Promise<{ tagType: TagType }> {
  const tagType = await findTagType(db.kysely, name);
  if (!tagType) throw tagTypeNotFound(name);
  return { tagType };
}

export async function validateTagType(
  { db }: FlagsResources,
  tagType: ValidatedTagType,
): Promise<{ valid: boolean; tagType: ValidatedTagType }> {
  if (await findTagType(db.kysely, tagType.name)) throw tagTypeExists(tagType.name);
  return { valid: true, tagType };
}
