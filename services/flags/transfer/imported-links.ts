import { randomUUID } from 'node:crypto';
import type { ImportedFeatures } from '@yardarm/shared/contracts/flags';
import { maxLinks, type StoredLink } from '../features/links/link.ts';
import type { FeatureState } from './import-target.ts';
import type { Problems } from './problems.ts';

export interface LinkChange {
  before: StoredLink[];
  added: StoredLink[];
}

/** Returns the links that the document adds to a flag: those whose URL it does not have. Null without any. */
export function plannedLinks(
  data: ImportedFeatures,
  problems: Problems,
): (name: string, state: FeatureState | undefined) => LinkChange | null {
  const imported = new Map(data.links.map(({ feature, links }) => [feature, links]));
  return (name, state) => {
    const before = state?.links ?? [];
    const urls = new Set(before.map(({ url }) => url));
    const added = (imported.get(name) ?? [])
      .filter(({ url }) => !urls.has(url))
      .map(({ url, title = null }) => ({ id: randomUUID(), url, title }));
    if (before.length + added.length > maxLinks) problems.add(`A flag may have at most ${maxLinks} links:`, name);
    return added.length === 0 ? null : { before, added };
  };
}
