import { randomUUID } from 'node:crypto';
import type { ImportedFeatures } from '@yardarm/shared/contracts/flags';
import { maxLinks, type StoredLink } from '../features/links/link.ts';
import type { FeatureState } from './import-target.ts';
import type { Problems } from './problems.ts';

export interface LinkChange {
  before: StoredLink[];
  after: StoredLink[];
  added: StoredLink[];
  removed: StoredLink[];
}

/**
 * Returns what the document changes about the links of a flag, which become those of the document. Null if nothing, or
 * if the document names none for the flag.
 */
export function plannedLinks(
  data: ImportedFeatures,
  problems: Problems,
): (name: string, state: FeatureState | undefined) => LinkChange | null {
  const imported = new Map(data.links.map(({ feature, links }) => [feature, links]));
  return (name, state) => {
    const links = imported.get(name);
    if (!links) return null;
    if (links.length > maxLinks) problems.add(`A flag may have at most ${maxLinks} links:`, name);
    const before = state?.links ?? [];
    const wanted = new Map(links.map(({ url, title = null }) => [keyOf({ url, title }), { url, title }]));
    const kept = before.filter((link) => wanted.has(keyOf(link)));
    for (const link of kept) wanted.delete(keyOf(link));
    const added = [...wanted.values()].map((link) => ({ id: randomUUID(), ...link }));
    const removed = before.filter((link) => !kept.includes(link));
    if (added.length + removed.length === 0) return null;
    return { before, after: [...kept, ...added], added, removed };
  };
}

const keyOf = ({ url, title }: Pick<StoredLink, 'url' | 'title'>) => JSON.stringify([url, title]);
