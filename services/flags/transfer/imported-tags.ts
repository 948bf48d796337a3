import { type ImportedFeatures, maxTags, type Tag } from '@yardarm/shared/contracts/flags';
import { tagKey } from '../features/tags/tag.ts';
import { tagOf } from './import-target.repo.ts';
import type { FeatureState, ImportTarget } from './import-target.ts';
import type { Problems } from './problems.ts';

export interface TagChange {
  /** All that the flag has afterwards, in the order of their types and values. */
  after: Tag[];
  added: Tag[];
  removed: Tag[];
}

/** Returns what the document changes about the tags of a flag, which become those of the document. */
export function plannedTags(
  data: ImportedFeatures,
  target: ImportTarget,
  problems: Problems,
): (name: string, state: FeatureState | undefined) => TagChange {
  const imported = groupedTags(data, target, problems);
  return (name, state) => {
    const before = new Map((state?.tags ?? []).map((tag) => [tagKey(tag), tag]));
    const after = imported.get(name) ?? new Map<string, Tag>();
    if (after.size > maxTags) problems.add(`A flag may have at most ${maxTags} tags:`, name);
    return {
      after: [...after].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, tag]) => tag),
      added: [...after].flatMap(([key, tag]) => (before.has(key) ? [] : tag)),
      removed: [...before].flatMap(([key, tag]) => (after.has(key) ? [] : tag)),
    };
  };
}

function groupedTags(data: ImportedFeatures, target: ImportTarget, problems: Problems): Map<string, Map<string, Tag>> {
  const types = new Set([...target.tagTypes, ...data.tagTypes.map(({ name }) => name)]);
  const tags = new Map<string, Map<string, Tag>>();
  for (const each of data.featureTags) {
    const tag = tagOf(each);
    if (!types.has(tag.type))
      problems.add('These tag types do not exist, and the document does not have them:', tag.type);
    if (tag.value === '') problems.add('These flags have a tag without a value:', each.featureName);
    const own = tags.get(each.featureName) ?? new Map<string, Tag>();
    tags.set(each.featureName, own.set(tagKey(tag), tag));
  }
  return tags;
}
