import type { ChangedFeature } from '@yardarm/shared/contracts/flags';
import { toStoredBytes } from './stored-bytes.ts';

export interface SnapshotFlag {
  readonly name: string;
  readonly project: string;
  /** The tags of the flag, each in the form `type:value`. */
  readonly tags: readonly string[];
  readonly segments: readonly number[];
  readonly enabled: boolean;
  readonly impressionData: boolean;
  /** Whether a variant of the flag or of a strategy has a payload. */
  readonly hasPayloads: boolean;
  /** The JSON of the client API, with the ids of segments. */
  readonly bytes: Buffer;
}

export interface StoredFlag extends SnapshotFlag {
  /** The JSON with segments as constraints. Null until it is read and after a change of a segment. */
  inlined: Buffer | null;
}

export function toStoredFlag({ feature, tags }: Omit<ChangedFeature, 'revision'>): StoredFlag {
  const { name, project } = feature;
  const strategies = feature.strategies.map(({ segments = [], ...strategy }) =>
    segments.length === 0 ? strategy : { ...strategy, segments },
  );
  return {
    name,
    project,
    tags: tags.map(({ type, value }) => `${type}:${value}`),
    segments: [...new Set(feature.strategies.flatMap(({ segments = [] }) => segments))],
    enabled: feature.enabled,
    impressionData: feature.impressionData ?? false,
    hasPayloads: [feature, ...feature.strategies].some(({ variants }) => variants?.some(({ payload }) => payload)),
    bytes: toStoredBytes(Buffer.from(JSON.stringify({ ...feature, strategies }))),
    inlined: null,
  };
}
