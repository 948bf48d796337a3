import type { ActionSet, NewActionSet } from '@yardarm/shared/contracts/signals';
import { AppError, redactValue } from '@yardarm/shared/errors';

export interface StoredAction {
  id: number;
  action: ActionSet['actions'][number]['action'];
  sortOrder: number;
  executionParams: ActionSet['actions'][number]['executionParams'];
  createdAt: Date;
  createdByUserId: number;
}

export interface StoredActionSet {
  id: number;
  project: string;
  name: string;
  description: string | null;
  actorId: number;
  enabled: boolean;
  /** Since when the set matches signals; null while it is disabled. */
  enabledAt: Date | null;
  sourceId: number;
  filters: ActionSet['match']['payload'];
  cooldownSeconds: number;
  createdAt: Date;
  createdByUserId: number;
  /** The actions in the order in which they are done. */
  actions: readonly StoredAction[];
}

export interface ActionSetLimits {
  setsPerProject: number;
  filters: number;
  filterValues: number;
  actions: number;
}

export function toActionSet(stored: StoredActionSet): ActionSet {
  return {
    name: stored.name,
    description: stored.description,
    actorId: stored.actorId,
    enabled: stored.enabled,
    actions: stored.actions.map(({ action, sortOrder, executionParams, id, createdAt, createdByUserId }) => ({
      ...{ action, sortOrder, executionParams, id },
      ...{ createdAt: createdAt.toISOString(), createdByUserId },
    })),
    match: { source: 'signal-endpoint', sourceId: stored.sourceId, payload: stored.filters },
    cooldownSeconds: stored.cooldownSeconds,
    id: stored.id,
    project: stored.project,
    createdAt: stored.createdAt.toISOString(),
    createdByUserId: stored.createdByUserId,
  };
}

/** The event of a set that was created (without `before`), deleted (without `after`) or changed. */
export function actionSetEvent({ before, after }: { before?: StoredActionSet; after?: StoredActionSet }) {
  const set = after ?? before;
  if (!set) throw new Error('an event of no action set');
  const type = !before
    ? ('actions-created' as const)
    : after
      ? ('actions-updated' as const)
      : ('actions-deleted' as const);
  return {
    ...{ type, project: set.project, orderingKey: `action-set:${set.id}` },
    ...(after && { data: { ...toActionSet(after) } }),
    ...(before && { preData: { ...toActionSet(before) } }),
  };
}

/** The actions as they are stored and run: by their sort order. */
export function sortedActions({ actions }: Pick<NewActionSet, 'actions'>): NewActionSet['actions'] {
  return actions.toSorted((one, other) => one.sortOrder - other.sortOrder);
}

/** Whether both have the same actions. Those of a set keep their ids while none changes. */
export function haveSameActions(stored: StoredActionSet, sent: NewActionSet): boolean {
  const contents = (actions: NewActionSet['actions']) =>
    actions.map(({ action, sortOrder, executionParams }) => [action, sortOrder, sortedEntries(executionParams)]);
  return isSame(contents([...stored.actions]), contents(sortedActions(sent)));
}

/** Whether an update to what was sent changes anything. */
export function isSameActionSet(stored: StoredActionSet, sent: NewActionSet): boolean {
  return (
    stored.name === sent.name &&
    stored.description === sent.description &&
    stored.actorId === sent.actorId &&
    stored.enabled === sent.enabled &&
    stored.sourceId === sent.match.sourceId &&
    stored.cooldownSeconds === sent.cooldownSeconds &&
    isSame(filterContents(stored.filters), filterContents(sent.match.payload)) &&
    haveSameActions(stored, sent)
  );
}

/** jsonb does not keep the order of properties. */
function sortedEntries<Value>(record: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1));
}

function filterContents(filters: ActionSet['match']['payload']) {
  return sortedEntries(filters).map(([parameter, filter]) => [parameter, sortedEntries(filter)]);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function requireBelowSetLimit(count: number, limit: number, projectId: string): void {
  if (count < limit) return;
  throw new AppError(
    'limit-exceeded',
    `The project ${redactValue(projectId, [])} already has ${count} action sets; it can have at most ${limit}.`,
  );
}

export function projectNotFound(id: string): AppError {
  return new AppError('not-found', `Could not find the project with ID ${redactValue(id, [])}.`);
}

export function actionSetNameTaken(name: string, projectId: string): AppError {
  const project = redactValue(projectId, []);
  return new AppError(
    'name-exists',
    `There is already an action set with the name ${redactValue(name, ['name'])} in the project ${project}.`,
  );
}

/** Also the error for a set of another project. */
export function actionSetNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the action set with ID "${id}".`);
}
