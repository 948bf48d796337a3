import type { Context } from '@yardarm/evaluation';
import type { ResolvedToken } from '@yardarm/shared/contracts/accounts';
import { maxContextText } from '@yardarm/shared/contracts/flags';
import { AppError, redactValue } from '@yardarm/shared/errors';
import { z } from 'zod';

/** A field that is given twice has the last value, as in the public product. */
const last = (value: unknown) => (Array.isArray(value) ? value.at(-1) : value);

const field = z.preprocess(last, z.string().optional());

/** The fields that the frontend API names. A context may have any others, which constraints can use. */
const fields = {
  userId: field,
  sessionId: field,
  remoteAddress: field.describe('Default: the address of the caller'),
  appName: field,
  currentTime: field.describe('ISO 8601; default: now'),
};

/** A context in a query: `?userId=7&properties[region]=eu`. */
export const contextQuery = z.looseObject({
  ...fields,
  'properties[name]': field.describe('A further field, here with the name `name`'),
});

/** A context in a body. Fields of other types than text, number and boolean count as absent. */
export const contextSchema = z.looseObject({
  ...Object.fromEntries(Object.keys(fields).map((name) => [name, z.unknown().optional()])),
  properties: z.record(z.string(), z.unknown()).optional().describe('Further fields'),
});

const propertyName = /^properties\[(.+)\]$/s;

export function contextOfQuery(query: Readonly<Record<string, unknown>>): Context {
  const isProperty = ([name]: [string, unknown]) => propertyName.test(name);
  const sent = Object.entries(query).map(([name, value]): [string, unknown] => [name, last(value)]);
  const properties = sent.filter(isProperty).map(([name, value]) => [propertyName.exec(name)![1]!, value]);
  const others = sent.filter((entry) => !isProperty(entry));
  return { ...Object.fromEntries(others), properties: Object.fromEntries(properties) };
}

/**
 * The context in which the flags of a token are evaluated. The environment is the token's. All flags of one request
 * have the same random session, so that a rollout by session agrees with the variants. Throws `validation` for a text
 * that is too long.
 */
export function completeContext(context: Context, { environment }: ResolvedToken, address: string): Context {
  requireShortTexts(context);
  requireShortTexts(context.properties);
  return {
    ...context,
    environment,
    sessionId: context.sessionId || String(Math.random()),
    remoteAddress: context.remoteAddress || address,
  };
}

function requireShortTexts(fields: unknown): void {
  if (typeof fields !== 'object' || fields === null) return;
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string' || value.length <= maxContextText) continue;
    const message = `The field ${redactValue(name, [])} of the context should have at most ${maxContextText} characters. You sent ${value.length}.`;
    throw new AppError('validation', message, { details: [{ message }] });
  }
}
