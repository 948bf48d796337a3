import { constraintProblem } from '@yardarm/evaluation';
import { stepActions } from '@yardarm/shared/contracts/flags';
import type { NewActionSet } from '@yardarm/shared/contracts/signals';
import { AppError, badProperty, problemText, propertyName } from '@yardarm/shared/errors';
import type { z } from 'zod';
import type { ActionSetLimits } from './action-set.ts';
import { hasPayloadPath, payloadPathProblem } from './parameters.ts';
import { countPathParts, maxPathParts } from './payload-path.ts';

/** The property of the request that is the set; empty if the request is the set itself. */
export type Path = readonly (string | number)[];

/**
 * The largest set as JSON. The event of an update has the set before and after it, and an event has at most 1,000,000
 * bytes. A set with all that the default limits allow, in characters of one byte, has less than 250,000.
 */
const maxSetBytes = 400_000;

/** What refuses a set without asking another service: too much of something, or a property that is wrong. */
export function* actionSetErrors(
  projectId: string,
  set: NewActionSet,
  limits: ActionSetLimits,
  path: Path,
): Generator<AppError> {
  const filters = Object.entries(set.match.payload);
  yield* tooMany([...path, 'match', 'payload'], filters.length, limits.filters, 'filters');
  yield* tooMany([...path, 'actions'], set.actions.length, limits.actions, 'items');
  for (const [parameter, filter] of filters) {
    const at = [...path, 'match', 'payload', parameter];
    const { values = [] } = filter;
    yield* tooMany([...at, 'values'], new Set(values).size, limits.filterValues, 'distinct items');
    if (countPathParts(parameter) > maxPathParts) {
      yield badProperty(at, filter, `has a name that should have at most ${maxPathParts} parts`);
    }
    const problem = constraintProblem(filter);
    if (problem === null) continue;
    const [property, index] = problem.path;
    yield badProperty([...at, ...problem.path], index === undefined ? filter[property] : values[index], problem.words);
  }
  const places = set.actions.map(({ sortOrder }) => sortOrder);
  for (const [index, action] of set.actions.entries()) {
    const at = [...path, 'actions', index];
    if (places.indexOf(action.sortOrder) < index) {
      yield badProperty([...at, 'sortOrder'], action.sortOrder, 'should be that of no other action of the set');
    }
    yield* parameterErrors(projectId, action, [...at, 'executionParams']);
  }
  const bytes = Buffer.byteLength(JSON.stringify(set));
  if (bytes > maxSetBytes) {
    yield new AppError('limit-exceeded', `The action set has ${bytes} bytes; it can have at most ${maxSetBytes}.`);
  }
}

function* tooMany(path: Path, count: number, limit: number, what: string): Generator<AppError> {
  if (count <= limit) return;
  const property = propertyName(path);
  yield new AppError(
    'limit-exceeded',
    `The ${property} property should have at most ${limit} ${what}. You sent ${count}.`,
  );
}

/** A parameter with a payload path is checked when the path is replaced. The others are checked now. */
function* parameterErrors(
  projectId: string,
  { action, executionParams }: NewActionSet['actions'][number],
  path: Path,
): Generator<AppError> {
  const shape: Record<string, z.ZodType> = stepActions[action].shape;
  for (const [name, written] of Object.entries(executionParams)) {
    const at = [...path, name];
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const words = schema === undefined ? `is no parameter of ${action}` : problemOf(name, written, schema, projectId);
    if (words !== null) yield badProperty(at, written, words);
  }
  for (const [name, schema] of Object.entries(shape)) {
    const isMissing = !Object.hasOwn(executionParams, name) && !schema.safeParse(undefined).success;
    if (isMissing) yield badProperty([...path, name], undefined, 'is required');
  }
}

function problemOf(
  name: string,
  written: string | number | boolean,
  schema: z.ZodType,
  projectId: string,
): string | null {
  if (hasPayloadPath(written)) return payloadPathProblem(written);
  const text = String(written);
  // Number('') is 0.
  if (text.trim() === '') return 'should not be empty';
  const [issue] = schema.safeParse(text).error?.issues ?? [];
  if (issue) return problemText(issue, text);
  if (name !== 'project' || text === projectId) return null;
  return `should be the project of the action set, ${JSON.stringify(projectId)}`;
}
