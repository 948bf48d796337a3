import { constraintInWords } from '../../flag/strategy-words.ts';
import type { ActionSet, Definitions } from './draft.ts';

/** When a set runs, as in `labels.severity is critical and status is firing`. */
export function filtersInWords({ match }: Pick<ActionSet, 'match'>): string {
  const filters = Object.entries(match.payload);
  if (filters.length === 0) return 'every signal';
  return filters.map(([contextName, filter]) => constraintInWords({ contextName, ...filter })).join(' and ');
}

/** What an action does, as in `Switch a flag off: production, checkout`. */
export function actionInWords(action: ActionSet['actions'][number], definitions: Definitions | undefined): string {
  const { project: _, ...parameters } = action.executionParams;
  const values = Object.values(parameters).join(', ');
  return `${definitions?.[action.action].label ?? action.action}: ${values}`;
}
