import type { ChangedFeature, ChangedSegment } from '@yardarm/shared/contracts/flags';
import type { SnapshotChange } from '../sdk/snapshots/joined-change.ts';
import { Scope, type Selection } from '../sdk/snapshots/scope.ts';

export interface FlagParts {
  project?: string;
  enabled?: boolean;
  segments?: number[];
  tags?: string[];
}

/** A flag as flags sends it, with one strategy if it has segments. */
export function changedFlag(name: string, parts: FlagParts = {}): ChangedFeature {
  const { project = 'default', enabled = true, segments = [], tags = [] } = parts;
  const strategy = { name: 'default', parameters: {}, constraints: [], segments, variants: [] };
  const feature = {
    ...{ name, type: 'release', description: null, enabled, stale: false, impressionData: false, project },
    ...{ strategies: segments.length === 0 ? [] : [strategy], variants: [], dependencies: [] },
  };
  const toTag = (tag: string) => ({
    type: tag.slice(0, tag.indexOf(':')),
    value: tag.slice(tag.indexOf(':') + 1),
  });
  return { feature, tags: tags.map(toTag), revision: 1 };
}

export function countryConstraint(value: string) {
  return {
    ...{ contextName: 'country', operator: 'IN' as const, values: [value] },
    ...{ caseInsensitive: false, inverted: false },
  };
}

export function changedSegment(id: number, country: string, project = 'default'): ChangedSegment {
  return { id, name: `segment ${id}`, constraints: [countryConstraint(country)], project, revision: 1 };
}

export function snapshotChange(part: Partial<SnapshotChange>): SnapshotChange {
  const nothing = { changed: [], removed: [], changedSegments: [], removedSegments: [] };
  return { epoch: 'epoch-one', revisions: { default: 1 }, isWhole: false, ...nothing, ...part };
}

/** Every project of the environment `development`, with segments by id, except for what `part` says. */
export function scopeOf(part: Partial<Selection> = {}): Scope {
  return new Scope({ environment: 'development', projects: ['*'], segmentFormat: 'separate', ...part });
}
