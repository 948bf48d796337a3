import { isDeepStrictEqual } from 'node:util';
import type { ServedContext } from '@yardarm/shared/bus';
import type { ImportedFeatures, Strategy, Tag } from '@yardarm/shared/contracts/flags';
import type { Change, ChangedFeature, ChangedNoun, FeatureEvent, NounEvent } from '../changes/record-change.ts';
import { featureEventData, featureOrderingKey, type StoredFeature } from '../features/feature.ts';
import { tagTypeEventData, tagTypeOrderingKey } from '../features/tag-types/tag-type.ts';
import { tagKey, tagOrderingKey } from '../features/tags/tag.ts';
import type { FlagPlan } from './import-plan.ts';
import { tagOf } from './import-target.repo.ts';

/** A message has at most 1 MB, and a name 100 characters. */
const namesPerEvent = 5_000;

/** The change of a flag with its events in their order; null when the import does not change it. */
export function changeOfFlag(
  context: ServedContext,
  plan: FlagPlan,
  feature: StoredFeature,
  environment: string,
): ChangedFeature | null {
  const { before, update, tags, strategies, variants, enabled, dependencies, links } = plan;
  const metadata: FeatureEvent[] = [];
  if (before === null) metadata.push({ type: 'feature-created', data: featureEventData(feature) });
  if (update?.difference.metadata || links) {
    const [data, preData] = [featureEventData(feature), featureEventData(before ?? feature)];
    metadata.push({
      type: 'feature-metadata-updated',
      data: { ...data, ...(links && { links: links.after }) },
      preData: { ...preData, ...(links && { links: links.before }) },
    });
  }
  if (update?.difference.stale) metadata.push({ type: `feature-stale-${update.difference.stale}` });
  const tagEvents = (type: FeatureEvent['type'], changed: FlagPlan['tags']['added']) =>
    changed.map((tag): FeatureEvent => ({ type, data: { type: tag.type, value: tag.value } }));
  metadata.push(...tagEvents('feature-untagged', tags.removed), ...tagEvents('feature-tagged', tags.added));

  const state: FeatureEvent[] = [
    ...(strategies?.removed ?? []).map((preData) => ({
      type: 'feature-strategy-remove' as const,
      environment,
      preData,
    })),
    ...(strategies?.added ?? []).map((data) => ({ type: 'feature-strategy-add' as const, environment, data })),
  ];
  if (variants) {
    const [data, preData] = [{ variants: variants.after }, { variants: variants.before }];
    state.push({ type: 'feature-environment-variants-updated', environment, data, preData });
  }
  if (enabled !== null) {
    state.push({ type: enabled ? 'feature-environment-enabled' : 'feature-environment-disabled', environment });
  }
  const everywhere: FeatureEvent[] = [
    ...dependencies.removed.map((parent) => ({
      ...{ type: 'feature-dependency-removed' as const, preData: { ...parent } },
    })),
    ...dependencies.set.map(({ before: earlier, after }) => ({
      ...{ type: 'feature-dependency-added' as const, data: { ...after }, preData: earlier && { ...earlier } },
    })),
  ];
  const events = [...metadata, ...state, ...everywhere];
  if (events.length === 0) return null;
  const visibleIn = isVisibleEverywhere(plan) ? 'all' : isVisibleThere(plan) ? [environment] : [];
  const segments = [...(strategies?.removed ?? []), ...(strategies?.added ?? [])].flatMap((each) => each.segments);
  return { context, feature, events, visibleIn, segments };
}

/** SDKs see no links. */
function isVisibleEverywhere({ before, update, tags, dependencies }: FlagPlan): boolean {
  const ofTags = tags.added.length + tags.removed.length;
  const ofParents = dependencies.set.length + dependencies.removed.length;
  return before === null || update !== null || ofTags + ofParents > 0;
}

/** SDKs see no disabled strategy, and no id and sort order of the others. */
function isVisibleThere({ strategies, variants, enabled }: FlagPlan): boolean {
  const seen = (list: readonly Strategy[] = []) =>
    list
      .filter(({ disabled }) => !disabled)
      .toSorted((one, other) => one.sortOrder - other.sortOrder)
      .map(({ id: _, sortOrder: __, ...rest }) => rest);
  return (
    variants !== null || enabled !== null || !isDeepStrictEqual(seen(strategies?.removed), seen(strategies?.added))
  );
}

/** The names of an import or export, divided among as many events as they need. */
export function inEvents(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / namesPerEvent) }, (_, part) =>
    names.slice(part * namesPerEvent, (part + 1) * namesPerEvent),
  );
}

export function importOrderingKey(requestId: string): string {
  return `import:${requestId}`;
}

/** What follows the events of the changes: one event for each imported item, and the import itself. */
export function itemsImported(
  context: ServedContext,
  data: ImportedFeatures,
  { project, environment }: { project: string; environment: string },
  tagsOf: ReadonlyMap<string, Tag[]>,
): Change[] {
  const noun = (orderingKey: string, event: NounEvent): ChangedNoun => ({ context, orderingKey, events: [event] });
  const tags = data.featureTags.map((each) => ({ featureName: each.featureName, tag: tagOf(each) }));
  const distinct = new Map(tags.map(({ tag }) => [tagKey(tag), tag]));
  const names = data.features.map(({ name }) => name);
  return [
    ...data.features.map((feature) =>
      noun(featureOrderingKey(feature.name), {
        ...{ type: 'feature-import', project, featureName: feature.name, environment },
        data: { ...feature, project },
        tags: tagsOf.get(feature.name) ?? [],
      }),
    ),
    ...tags.map((tagged) =>
      noun(featureOrderingKey(tagged.featureName), {
        ...{ type: 'feature-tag-import', project, featureName: tagged.featureName, data: tagged },
        tags: tagsOf.get(tagged.featureName) ?? [],
      }),
    ),
    ...[...distinct.values()].map((tag) => noun(tagOrderingKey(tag), { type: 'tag-import', data: tag })),
    ...data.tagTypes.map((type) =>
      noun(tagTypeOrderingKey(type.name), { type: 'tag-type-import', data: tagTypeEventData(type) }),
    ),
    ...inEvents(names).map((features) =>
      noun(importOrderingKey(context.requestId), {
        type: 'features-imported',
        project,
        environment,
        data: { features },
      }),
    ),
  ];
}
