import type { RequestContext } from '@yardarm/shared/bus';
import type { testActionSet as contract, NewActionSet } from '@yardarm/shared/contracts/signals';
import type { z } from 'zod';
import type { SignalsResources } from '../resources.ts';
import { sortedActions } from './action-set.ts';
import { compileFilters } from './matching.ts';
import { resolveParameters, resolveStep } from './parameters.ts';
import { parsePayload } from './payload.ts';
import { requireActionSet } from './require-action-set.ts';

/** Twice the longest valid parameter. With the most actions and filters, the answer still fits one message. */
const maxLength = 200;

/** A dry run. It refuses what could not be saved, and stores and sends nothing. */
export async function testActionSet(
  resources: SignalsResources,
  { projectId, actionSet, payloadText = 'null' }: { projectId: string; actionSet: NewActionSet; payloadText?: string },
  context: RequestContext,
): Promise<z.input<typeof contract.output>> {
  await requireActionSet(resources, projectId, actionSet, context, ['actionSet']);
  const payload = parsePayload(payloadText);
  const filters = compileFilters(actionSet.match.payload).map(({ parameter, valueIn, matches }) => {
    const value = valueIn(payload);
    return { parameter, value: value === null ? null : truncate(value), matches: matches(payload) };
  });
  const steps = sortedActions(actionSet).map((action) => {
    const resolved = resolveStep(action, payload, projectId);
    const { parameters } = resolveParameters(action, payload);
    return {
      ...{ action: action.action, sortOrder: action.sortOrder },
      parameters: Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, truncate(text)])),
      problem: 'problem' in resolved ? resolved.problem : null,
    };
  });
  return { matches: filters.every(({ matches }) => matches), filters, steps };
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
