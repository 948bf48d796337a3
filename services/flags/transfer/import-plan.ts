import { isDeepStrictEqual } from 'node:util';
import { type ImportedFeatures, maxTags, type Tag, type Variant } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import {
  type ChangeableFeature,
  changeBetween,
  type FeatureChange,
  type StoredFeature,
  toDocument,
  withDocument,
} from '../features/feature.ts';
import type { Limits } from '../limits/limits.ts';
import { checkFeatureName } from '../projects/feature-naming.ts';
import type { LegalValues } from '../strategies/constraint.ts';
import { maxStrategyBytes } from '../strategies/strategy.ts';
import { tagKey } from '../tags/tag.ts';
import { checkedVariants } from '../variants/variant.ts';
import { type DependencyChange, plannedDependencies } from './imported-dependencies.ts';
import { bytesOf, changeOfStrategies, type StrategyChange } from './imported-strategies.ts';
import { typeOfTag } from './known.repo.ts';
import type { FeatureState, Known } from './known.ts';
import { Problems } from './problems.ts';

export type ImportedFeature = ImportedFeatures['features'][number];

/** What an import changes of one flag. */
export interface FlagPlan {
  imported: ImportedFeature;
  /** Null for a new flag. */
  before: StoredFeature | null;
  /** Of an existing flag; null when nothing differs. */
  update: { after: StoredFeature; difference: FeatureChange } | null;
  tags: { added: Tag[]; removed: Tag[] };
  strategies: StrategyChange | null;
  variants: { before: Variant[]; after: Variant[] } | null;
  /** The new state of the switch; null when it stays. */
  enabled: boolean | null;
  dependencies: DependencyChange[];
  links: { url: string; title: string | null }[];
}

export interface ImportPlan {
  flags: FlagPlan[];
  contextFields: ImportedFeatures['contextFields'];
  tagTypes: ImportedFeatures['tagTypes'];
  problems: Problems;
}

interface Deciding {
  data: ImportedFeatures;
  known: Known;
  limits: Limits;
  problems: Problems;
}

/** Decides what an import changes, with every problem that it has. A plan with problems must not be carried out. */
export function planImport(data: ImportedFeatures, known: Known, limits: Limits): ImportPlan {
  const problems = new Problems();
  const deciding = { data, known, limits, problems };
  const names = new Set<string>();
  for (const { name } of data.features) {
    if (names.has(name)) problems.add('These flags occur more than once in the document:', name);
    names.add(name);
  }
  requireMembers(deciding, names);
  requireLegalValues(deciding);
  const tags = groupedTags(deciding);
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const switches = new Map(data.featureEnvironments.map((each) => [each.featureName ?? each.name ?? '', each]));
  const dependenciesOf = plannedDependencies(data, known, problems);
  const links = new Map(data.links.map((each) => [each.feature, each.links]));
  const checking = {
    ...{ known, limits, problems },
    segmentNames: new Map(data.segments.map(({ id, name }) => [id, name])),
    definitions: { ...known.definitions, legalValues: legalValuesAfter(deciding) },
  };
  const flags = data.features.map((imported): FlagPlan => {
    const { name } = imported;
    const before = existing(imported, deciding);
    const state = before ? known.states.get(name) : undefined;
    const changed = changeOfStrategies(name, strategies.get(name) ?? [], state, checking);
    const variants = changeOfVariants(name, switches.get(name)?.variants, state, problems);
    const after = [changed?.added ?? state?.strategies ?? [], variants?.after ?? state?.variants ?? []] as const;
    if (bytesOf(...after) + (state?.otherBytes ?? 0) > maxStrategyBytes) {
      problems.add(`The strategies and variants of a flag may have at most ${maxStrategyBytes} bytes:`, name);
    }
    const enabled = switches.get(name)?.enabled ?? false;
    return {
      ...{ imported, before, strategies: changed, variants },
      update: before && updateOf(before, imported),
      tags: changeOfTags(name, tags?.get(name), state, problems),
      enabled: switches.has(name) && enabled !== (state?.enabled ?? false) ? enabled : null,
      dependencies: dependenciesOf(name),
      links: newLinks(links.get(name) ?? [], state),
    };
  });
  return {
    ...{ flags, problems },
    contextFields: distinctBy(data.contextFields.filter(({ name }) => !known.contextFields.has(name))),
    tagTypes: distinctBy(data.tagTypes.filter(({ name }) => !known.tagTypes.has(name))),
  };
}

function distinctBy<Named extends { name: string }>(items: readonly Named[]): Named[] {
  return [...new Map(items.map((item) => [item.name, item])).values()];
}

/** Strategies, switches and tags belong to flags of the document. */
function requireMembers({ data, problems }: Deciding, names: ReadonlySet<string>): void {
  const referring = [
    ...data.featureStrategies.map(({ featureName }) => featureName),
    ...data.featureEnvironments.map(({ featureName, name }) => featureName ?? name ?? ''),
    ...(data.featureTags ?? []).map(({ featureName }) => featureName),
    ...data.dependencies.map(({ feature }) => feature),
    ...data.links.map(({ feature }) => feature),
  ];
  for (const name of referring.filter((each) => !names.has(each))) {
    problems.add('The document refers to these flags and does not have them:', name);
  }
}

/** New fields have the legal values of the document. */
function legalValuesAfter({ data, known }: Deciding): LegalValues {
  const added = data.contextFields
    .filter(({ name, legalValues }) => !known.contextFields.has(name) && legalValues.length > 0)
    .map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)] as const);
  return new Map([...known.definitions.legalValues, ...added]);
}

function requireLegalValues({ data, known, problems }: Deciding): void {
  for (const { name, legalValues } of data.contextFields) {
    const legal = known.contextFields.get(name) ?? [];
    if (legal.length > 0 && legalValues.some(({ value }) => !legal.includes(value))) {
      problems.add('These context fields exist without all legal values of the document:', name);
    }
  }
}

/** The flag of the project that the import changes, if there is one. */
function existing({ name, type }: ImportedFeature, { known, problems }: Deciding): StoredFeature | null {
  if (!known.featureTypes.includes(type)) problems.add('These flag types do not exist:', type);
  const feature = known.features.get(name);
  if (!feature) {
    try {
      checkFeatureName(name, known.project.featureNaming);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problems.add('These names do not match the naming pattern of the project:', name);
    }
    return null;
  }
  if (feature.project !== known.project.id) {
    problems.add('These flags exist in another project:', `${name} (in project ${feature.project})`);
  } else if (feature.archivedAt !== null) problems.add('These flags are archived. Revive or delete them first:', name);
  return feature;
}

function updateOf(before: StoredFeature, { name: _, ...imported }: ImportedFeature): FlagPlan['update'] {
  const document: ChangeableFeature = { ...toDocument(before), ...imported };
  const difference = changeBetween(toDocument(before), document);
  return difference && { after: withDocument(before, document), difference };
}

function changeOfVariants(
  name: string,
  imported: readonly Variant[] | undefined,
  state: FeatureState | undefined,
  problems: Problems,
): FlagPlan['variants'] {
  if (imported === undefined) return null;
  const before = state?.variants ?? [];
  try {
    // A variant without a weight type has a variable weight.
    const after = checkedVariants(
      imported.map((variant) => ({ ...variant, weightType: variant.weightType ?? 'variable' })),
    );
    return isDeepStrictEqual(before, after) ? null : { before, after };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    problems.add('These variants are invalid:', `${name}: ${error.message}`);
    return null;
  }
}

/** Undefined when the document says nothing about tags. */
function groupedTags({ data, known, problems }: Deciding): Map<string, Map<string, Tag>> | undefined {
  if (data.featureTags === undefined) return undefined;
  const types = new Set([...known.tagTypes, ...data.tagTypes.map(({ name }) => name)]);
  const tags = new Map<string, Map<string, Tag>>();
  for (const each of data.featureTags) {
    const tag = { type: typeOfTag(each), value: each.tagValue ?? each.value ?? '' };
    if (!types.has(tag.type))
      problems.add('These tag types do not exist, and the document does not have them:', tag.type);
    if (tag.value === '') problems.add('These flags have a tag without a value:', each.featureName);
    const own = tags.get(each.featureName) ?? new Map<string, Tag>();
    tags.set(each.featureName, own.set(tagKey(tag), tag));
  }
  return tags;
}

function changeOfTags(
  name: string,
  imported: ReadonlyMap<string, Tag> | undefined,
  state: FeatureState | undefined,
  problems: Problems,
): FlagPlan['tags'] {
  const before = new Map((state?.tags ?? []).map((tag) => [tagKey(tag), tag]));
  const after = imported ?? before;
  if (after.size > maxTags) problems.add(`A flag may have at most ${maxTags} tags:`, name);
  return {
    added: [...after].flatMap(([key, tag]) => (before.has(key) ? [] : tag)),
    removed: [...before].flatMap(([key, tag]) => (after.has(key) ? [] : tag)),
  };
}

function newLinks(
  imported: readonly { url: string; title?: string | null | undefined }[],
  state: FeatureState | undefined,
): FlagPlan['links'] {
  const known = new Set((state?.links ?? []).map(({ url }) => url));
  return imported.flatMap(({ url, title }) => (known.has(url) ? [] : [{ url, title: title ?? null }]));
}
