import type { Schemas } from '../../api/client.ts';
import type { Constraint } from '../../save/change.ts';

export type ActionSet = Schemas['actionsSchema'];
export type NewActionSet = Schemas['createActionsSchema'];
export type Definitions = Schemas['actionDefinitionsConfigSchema'];
export type ActionName = keyof Definitions;

/** A filter while it is edited: the name of a parameter of the payload, and what its value is compared with. */
export type FilterDraft = Constraint & { key: number };

export interface ActionDraft {
  key: number;
  action: ActionName;
  /** What was typed, by the name of the parameter. */
  parameters: Readonly<Record<string, string>>;
}

/** An action set while it is edited. */
export interface Draft {
  name: string;
  description: string;
  /** Empty until it is chosen. */
  actorId: string;
  sourceId: string;
  cooldownSeconds: string;
  enabled: boolean;
  filters: readonly FilterDraft[];
  actions: readonly ActionDraft[];
}

let lastKey = 0;

/** Tells the filters and actions of a form apart, which have no ids yet. */
export const nextKey = () => ++lastKey;

export const newFilter = (): FilterDraft => ({
  ...{ key: nextKey(), contextName: '', operator: 'IN', inverted: false, caseInsensitive: false, values: [] },
});

export const newAction = (action: ActionName): ActionDraft => ({ key: nextKey(), action, parameters: {} });

export const emptyDraft = (sourceId: string): Draft => ({
  ...{ name: '', description: '', actorId: '', sourceId, cooldownSeconds: '0', enabled: true },
  ...{ filters: [], actions: [newAction('TOGGLE_FEATURE_OFF')] },
});

export function draftOf(set: ActionSet): Draft {
  const bySortOrder = [...set.actions].sort((one, other) => one.sortOrder - other.sortOrder);
  return {
    name: set.name,
    description: set.description ?? '',
    actorId: `${set.actorId}`,
    sourceId: `${set.match.sourceId}`,
    cooldownSeconds: `${set.cooldownSeconds}`,
    enabled: set.enabled,
    filters: Object.entries(set.match.payload).map(([contextName, filter]) => ({
      ...{ key: nextKey(), contextName, values: [] },
      ...filter,
    })),
    actions: bySortOrder.map(({ action, executionParams }) => ({
      ...{ key: nextKey(), action },
      parameters: Object.fromEntries(Object.entries(executionParams).map(([name, value]) => [name, `${value}`])),
    })),
  };
}

/** As the API takes it. What was not chosen is left out, so that the API names it. */
export function bodyOf(draft: Draft, projectId: string, definitions: Definitions): NewActionSet {
  const { name, description, enabled, filters, actions } = draft;
  const body: Omit<NewActionSet, 'actorId'> & { actorId?: number } = {
    ...{ name, enabled, description: description.trim() || null },
    ...(draft.actorId !== '' && { actorId: Number(draft.actorId) }),
    cooldownSeconds: Number(draft.cooldownSeconds),
    match: {
      source: 'signal-endpoint',
      sourceId: Number(draft.sourceId),
      payload: Object.fromEntries(filters.map((filter) => [filter.contextName.trim(), filterOf(filter)])),
    },
    actions: actions.map(({ action, parameters }, index) => ({
      ...{ action, sortOrder: index + 1 },
      executionParams: Object.fromEntries(
        definitions[action].parameters.flatMap(({ name: parameter, type }) => {
          const value = type === 'hidden' ? projectId : (parameters[parameter] ?? '').trim();
          return value === '' ? [] : [[parameter, value]];
        }),
      ),
    })),
  };
  return body as NewActionSet;
}

function filterOf({ operator, inverted, caseInsensitive, values, value }: FilterDraft) {
  const compared = value === undefined ? { values: values ?? [] } : { value };
  return { operator, inverted, caseInsensitive, ...compared };
}

/** The name that two filters have; an object keeps only one of them. */
export function repeatedParameter(filters: readonly FilterDraft[]): string | null {
  const names = filters.map(({ contextName }) => contextName.trim());
  return names.find((name, index) => names.indexOf(name) < index) ?? null;
}

/** The list with the item at another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), items[from]!, ...rest.slice(to)];
}
