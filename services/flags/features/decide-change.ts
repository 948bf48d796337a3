import { requirePermission } from '@yardarm/shared/auth';
import type { ServedContext } from '@yardarm/shared/bus';
import { actorOf } from '../changes/record-change.ts';
import {
  type ChangeableFeature,
  changeBetween,
  checkFeature,
  type FeatureChange,
  permissionsOfChange,
  type StoredFeature,
  toDocument,
  withDocument,
} from './feature.ts';

export interface DecidedChange {
  context: ServedContext;
  before: StoredFeature;
  after: StoredFeature;
  /** What differs from the stored document; null when nothing does. */
  difference: FeatureChange | null;
  /** By how many bytes the flag grows in each environment. Without it the flag is measured when it grows. */
  growth?: number | undefined;
}

/**
 * The change of a flag to the document, if the actor may make it. `types` are the known flag types; a document that
 * keeps its type needs none.
 */
export function decideChange(
  context: ServedContext,
  before: StoredFeature,
  changed: ChangeableFeature,
  types: readonly string[],
): DecidedChange {
  const document = toDocument(before);
  const difference = changeBetween(document, changed);
  if (difference === null) return { context, before, after: before, difference };
  const { project } = before;
  for (const permission of permissionsOfChange(document, changed))
    requirePermission(actorOf(context), permission, { project });
  // A foreign key guarantees that the flag's present type exists.
  checkFeature(changed, changed.type === before.type ? [before.type] : types);
  return { context, before, after: withDocument(before, changed), difference };
}

/** The change of some properties of a flag; the others stay. */
export function decideChangeOf(
  context: ServedContext,
  before: StoredFeature,
  changed: Partial<ChangeableFeature>,
): DecidedChange {
  return decideChange(context, before, { ...toDocument(before), ...changed }, []);
}
