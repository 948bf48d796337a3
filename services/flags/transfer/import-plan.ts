import { isDeepStrictEqual } from 'node:util';
import type { ImportedFeatures, Variant } from '@yardarm/shared/contracts/flags';
import { TimeSlicer } from '@yardarm/shared/waiting';
import {
  type ChangeableFeature,
  changeBetween,
  type FeatureChange,
  type StoredFeature,
  toDocument,
  withDocument,
} from '../features/feature.ts';
import type { Limits } from '../places/limits/limits.ts';
import { checkFeatureName } from '../places/projects/feature-naming.ts';
import { maxStrategyBytes } from '../targeting/strategies/strategy.ts';
import { checkedVariants, errorsOfVariants } from '../targeting/variants/variant.ts';
import type { ReadDocument } from './import-document.ts';
import type { FeatureState, ImportTarget } from './import-target.ts';
import { legalValuesWith, type NewDefinitions, plannedDefinitions } from './imported-definitions.ts';
import { type DependencyChanges, plannedDependencies } from './imported-dependencies.ts';
import { type LinkChange, plannedLinks } from './imported-links.ts';
import { bytesOf, changeOfStrategies, type StrategyChange } from './imported-strategies.ts';
import { plannedTags, type TagChange } from './imported-tags.ts';
import { Problems } from './problems.ts';

export type ImportedFeature = ImportedFeatures['features'][number];

export interface FlagPlan {
  imported: ImportedFeature;
  /** The flag before the import; null for a new flag. */
  before: StoredFeature | null;
  /** Of an existing flag; null when nothing differs. */
  update: { after: StoredFeature; difference: FeatureChange } | null;
  tags: TagChange;
  strategies: StrategyChange | null;
  variants: { before: Variant[]; after: Variant[] } | null;
  /** The new state of the switch; null when it stays. */
  enabled: boolean | null;
  dependencies: DependencyChanges;
  links: LinkChange | null;
}

export interface ImportPlan extends NewDefinitions {
  flags: FlagPlan[];
  problems: Problems;
}

/**
 * Decides what an import changes, with every problem that it has. A plan with problems must not be carried out. The
 * flags of `unchanged` are as they were for an earlier plan without problems, which they keep. Throws `timeout` after
 * the deadline.
 */
export async function planImport(
  { data, schemaProblems, invalidFlags }: ReadDocument,
  target: ImportTarget,
  { limits, deadline }: { limits: Limits; deadline: number },
  unchanged: ReadonlyMap<string, FlagPlan> = new Map(),
): Promise<ImportPlan> {
  const problems = new Problems();
  for (const schemaProblem of schemaProblems)
    problems.add('The document has properties that do not conform to the schema:', schemaProblem);
  requireMembers(data, invalidFlags, problems);
  const definitions = plannedDefinitions(data, target, problems);
  const tagsOf = plannedTags(data, target, problems);
  const strategies = Map.groupBy(data.featureStrategies, ({ featureName }) => featureName);
  const switches = new Map(data.featureEnvironments.map((each) => [each.featureName ?? each.name ?? '', each]));
  const dependenciesOf = plannedDependencies(data, invalidFlags, target, problems);
  const linksOf = plannedLinks(data, problems);
  const checking = {
    ...{ target, limits, problems },
    segmentNames: new Map(data.segments.map(({ id, name }) => [id, name])),
    definitions: { ...target.definitions, legalValues: legalValuesWith(definitions, target) },
  };
  const flags = await new TimeSlicer({ deadline }).map(data.features, (imported): FlagPlan => {
    const { name } = imported;
    const earlier = unchanged.get(name);
    if (earlier) return earlier;
    const before = existing(imported, target, problems);
    const state = before ? target.states.get(name) : undefined;
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
      tags: tagsOf(name, state),
      enabled: switches.has(name) && enabled !== (state?.enabled ?? false) ? enabled : null,
      dependencies: dependenciesOf(name),
      links: linksOf(name, state),
    };
  });
  requireRoom(flags, target, limits, problems);
  return { flags, problems, ...definitions };
}

/** Strategies, switches, tags, dependencies and links belong to flags of the document. Each of these occurs once. */
function requireMembers(data: ImportedFeatures, invalidFlags: readonly string[], problems: Problems): void {
  const names = new Set(invalidFlags);
  for (const { name } of data.features) {
    if (names.has(name)) problems.add('These flags occur more than once in the document:', name);
    names.add(name);
  }
  const referring = [
    ...data.featureStrategies.map(({ featureName }) => featureName),
    ...data.featureEnvironments.map(({ featureName, name }) => featureName ?? name ?? ''),
    ...data.featureTags.map(({ featureName }) => featureName),
    ...data.dependencies.map(({ feature }) => feature),
    ...data.links.map(({ feature }) => feature),
  ];
  for (const name of referring.filter((each) => !names.has(each))) {
    problems.add('The document refers to these flags and does not have them:', name);
  }
}

/** The transaction of the import decides, because other requests may make flags meanwhile. */
function requireRoom(
  flags: readonly FlagPlan[],
  { counts, project }: ImportTarget,
  limits: Limits,
  problems: Problems,
): void {
  const created = flags.filter(({ before }) => before === null).length;
  if (created === 0) return;
  const [all, ofProject] = [counts.features + created, counts.ofProject + created];
  if (all > limits.features) {
    problems.add(`There may be at most ${limits.features} features. With the import there would be:`, `${all}`);
  }
  if (project.featureLimit !== null && ofProject > project.featureLimit) {
    const message = `The project may have at most ${project.featureLimit} features. With the import it would have:`;
    problems.add(message, `${ofProject}`);
  }
}

/** The flag of the project that the import changes, if there is one. */
function existing({ name, type }: ImportedFeature, target: ImportTarget, problems: Problems): StoredFeature | null {
  if (!target.featureTypes.includes(type)) problems.add('These flag types do not exist:', type);
  const feature = target.features.get(name);
  if (!feature) {
    const message = 'These names do not match the naming pattern of the project:';
    problems.check(message, name, () => checkFeatureName(name, target.project.featureNaming));
    return null;
  }
  if (feature.project !== target.project.id) {
    problems.add('These flags exist in another project:', `${name} (in project ${feature.project})`);
  } else if (feature.archivedAt !== null) {
    // Since the preparation, which left out those that were archived before it.
    problems.add('These flags are archived. Revive or delete them first:', name);
  }
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
  // A variant without a weight type has a variable weight.
  const variants = imported.map((variant) => ({ ...variant, weightType: variant.weightType ?? 'variable' }));
  const errors = [...errorsOfVariants(variants)];
  for (const { message } of errors) problems.add('These variants are invalid:', `${name}: ${message}`);
  if (errors.length > 0) return null;
  const [before, after] = [state?.variants ?? [], checkedVariants(variants)];
  return isDeepStrictEqual(before, after) ? null : { before, after };
}
