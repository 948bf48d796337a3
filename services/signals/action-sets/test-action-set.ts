import { TimeBudget } from '@yardarm/evaluation';
import type { RequestContext } from '@yardarm/shared/bus';
import type { testActionSet as contract, NewActionSet } from '@yardarm/shared/contracts/signals';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { SignalsResources } from '../resources.ts';
import { findSignalsByIds } from '../signals/lists.repo.ts';
import { signalNotFound } from '../signals/signal.ts';
import { sortedActions } from './action-set.ts';
import { compileFilters, FilterTooSlow, maxFiltersMs } from './matching.ts';
import { resolveParameters, resolveStep } from './parameters.ts';
import { parsePayload } from './payload.ts';
import { requireActionSet } from './require-action-set.ts';

/** Twice the longest valid parameter. With the most actions and filters, the answer still fits one message. */
const maxLength = 200;

/** A dry run. It refuses what could not be saved, and stores and sends nothing. */
export async function testActionSet(
  resources: SignalsResources,
  { projectId, actionSet, payloadText = 'null', signalId }: z.output<typeof contract.input>,
  context: RequestContext,
): Promise<z.input<typeof contract.output>> {
  await requireActionSet(resources, projectId, actionSet, context, ['actionSet']);
  const payload = parsePayload(signalId === undefined ? payloadText : await requirePayload(resources, signalId));
  const budget = new TimeBudget(maxFiltersMs);
  const filters = await testFilters(actionSet, payload, budget);
  const steps = sortedActions(actionSet).map((action) => {
    const resolved = resolveStep(action, payload, projectId, budget);
    const { parameters } = resolveParameters(action, payload, budget);
    return {
      ...{ action: action.action, sortOrder: action.sortOrder },
      parameters: Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, truncate(text)])),
      problem: 'problem' in resolved ? resolved.problem : null,
    };
  });
  return { matches: filters.every(({ matches }) => matches), filters, steps };
}

async function requirePayload({ db }: SignalsResources, signalId: number): Promise<string> {
  const [signal] = await findSignalsByIds(db.kysely, [signalId], { withPayloads: true, withRuns: false });
  if (!signal) throw signalNotFound(signalId);
  return signal.payload ?? 'null';
}

/** Throws `bad-data` when filters take longer than a signal may need. */
async function testFilters({ match }: NewActionSet, payload: unknown, budget: TimeBudget) {
  const results: z.input<typeof contract.output>['filters'] = [];
  try {
    for (const { parameter, valueIn, matches } of compileFilters(match.payload)) {
      await budget.next();
      const value = valueIn(payload, budget);
      results.push({ parameter, value: value === null ? null : truncate(value), matches: matches(payload, budget) });
    }
  } catch (error) {
    throw error instanceof FilterTooSlow ? new AppError('bad-data', error.message) : error;
  }
  return results;
}

function truncate(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
