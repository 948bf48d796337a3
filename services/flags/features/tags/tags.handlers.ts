import type { coloredTagSchema, Tag } from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsResources } from '../../resources.ts';
import { unknownFeature } from '../feature.ts';
import { findFeatureTags } from './feature-tags.repo.ts';
import { tagNotFound } from './tag.ts';
import { findTags, hasTag } from './tags.repo.ts';

export async function listTags(
  { db }: FlagsResources,
  { type }: { type?: string | undefined },
): Promise<{ tags: Tag[] }> {
  return { tags: await findTags(db.kysely, type) };
}

export async function getTag({ db }: FlagsResources, tag: Tag): Promise<{ tag: Tag }> {
  if (!(await hasTag(db.kysely, tag))) throw tagNotFound(tag);
  return { tag };
}

export async function listFeatureTags(
  { db }: FlagsResources,
  { featureName }: { featureName: string },
): Promise<{ tags: z.output<typeof coloredTagSchema>[] }> {
  const tags = await findFeatureTags(db.kysely, featureName);
  if (!tags) throw unknownFeature(featureName);
  return { tags };
}
