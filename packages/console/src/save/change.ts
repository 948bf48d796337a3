import type { Schemas } from '../api/client.ts';

/** The flag that is changed. */
export interface Target {
  project: string;
  feature: string;
}

export type Strategy = Schemas['featureStrategySchema'];
export type Constraint = Schemas['constraintSchema'];
export type StrategyVariant = Schemas['strategyVariantSchema'];
export type Tag = Schemas['tagSchema'];
/** A variant of a flag in an environment. */
export type Variant = Schemas['variantSchema'];
/** A flag on which another one depends. */
export type Parent = Schemas['featureSchema']['dependencies'][number];
export type FlagLink = Schemas['featureSchema']['links'][number];

/** What a person chooses of a link. */
export type LinkSettings = Pick<FlagLink, 'url' | 'title'>;

/** What a person chooses of a strategy. The server gives the rest. */
export type StrategySettings = Pick<
  Strategy,
  'name' | 'title' | 'disabled' | 'segments' | 'constraints' | 'variants' | 'parameters'
>;

/** What a person may change of a flag itself. */
export type FlagSettings = Pick<Schemas['featureSchema'], 'description' | 'type' | 'impressionData' | 'stale'>;

interface InEnvironment {
  environment: string;
  environmentType: string;
}

/**
 * A change of one flag, before it is saved. Every screen that changes a flag makes one of these. `before` is what the
 * person saw: the change is refused if somebody else has changed it since.
 */
export type FlagChange =
  | (InEnvironment & { kind: 'switch'; isOn: boolean })
  | (InEnvironment & { kind: 'add-strategy'; strategy: StrategySettings; sortOrder?: number })
  | (InEnvironment & { kind: 'edit-strategy'; before: Strategy; after: StrategySettings })
  | (InEnvironment & { kind: 'delete-strategy'; before: Strategy })
  | (InEnvironment & { kind: 'order-strategies'; before: Strategy[]; after: Strategy[] })
  | (InEnvironment & { kind: 'variants'; before: Variant[]; after: Variant[] })
  | { kind: 'dependencies'; before: Parent[]; after: Parent[] }
  // Without `before` it is added, without `after` removed.
  | { kind: 'link'; before: FlagLink | null; after: LinkSettings | null }
  | { kind: 'settings'; before: Partial<FlagSettings>; after: Partial<FlagSettings> }
  | { kind: 'tags'; added: Tag[]; removed: Tag[] }
  // `wasLive`: taken back, a completed flag is live, whatever it was before.
  | { kind: 'complete'; status: 'kept' | 'discarded'; wasLive: boolean }
  | { kind: 'uncomplete' }
  | { kind: 'archive' }
  | { kind: 'revive' };

export type ChangeInEnvironment = Extract<FlagChange, InEnvironment>;

export type EditOfStrategy = Extract<FlagChange, { kind: 'edit-strategy' }>;

/** Without what the server alone sets. */
export function settingsOf(strategy: StrategySettings): StrategySettings {
  const { name, title, disabled, segments, constraints, variants, parameters } = strategy;
  return { name, title, disabled, segments, constraints, variants, parameters };
}

/** The changes that take this one back, in their order; none if it cannot be. `added` is the strategy that it made. */
export function undoOf(change: FlagChange, added: Strategy | null): FlagChange[] {
  const undo = undoOfOne(change, added);
  if (undo === null) return [];
  if (change.kind !== 'switch' || added === null) return [undo];
  const { environment, environmentType } = change;
  return [undo, { kind: 'delete-strategy', environment, environmentType, before: added }];
}

function undoOfOne(change: FlagChange, added: Strategy | null): FlagChange | null {
  switch (change.kind) {
    case 'switch':
      return { ...change, isOn: !change.isOn };
    case 'add-strategy': {
      const { environment, environmentType } = change;
      return added === null ? null : { kind: 'delete-strategy', environment, environmentType, before: added };
    }
    case 'edit-strategy':
      return { ...change, before: { ...change.before, ...change.after }, after: settingsOf(change.before) };
    case 'delete-strategy': {
      const { environment, environmentType, before } = change;
      const { sortOrder } = before;
      return { kind: 'add-strategy', environment, environmentType, strategy: settingsOf(before), sortOrder };
    }
    case 'order-strategies':
      return { ...change, before: change.after, after: change.before };
    case 'variants':
      return { ...change, before: change.after, after: change.before };
    case 'dependencies':
      return { ...change, before: change.after, after: change.before };
    case 'link': {
      const { before, after } = change;
      // The answer does not say which id an added link has.
      if (before === null) return null;
      return {
        kind: 'link',
        before: after && { ...before, ...after },
        after: { url: before.url, title: before.title },
      };
    }
    case 'settings':
      return { ...change, before: change.after, after: change.before };
    case 'tags':
      return { ...change, added: change.removed, removed: change.added };
    case 'complete':
      return change.wasLive ? { kind: 'uncomplete' } : null;
    case 'uncomplete':
      // The variant that was kept is not known here.
      return null;
    case 'archive':
    case 'revive':
      // A revived flag is off everywhere, and an archived one has lost what it depends on.
      return null;
  }
}

/** Whether a person confirms the change before it is sent. Others are sent at once, with an undo. */
export function needsReview(change: FlagChange): boolean {
  return change.kind !== 'switch' || change.environmentType === 'production';
}

/** Whether the change may alter what SDKs evaluate. */
export function hasEffect(change: FlagChange): boolean {
  return 'environment' in change || change.kind === 'archive' || change.kind === 'dependencies';
}
