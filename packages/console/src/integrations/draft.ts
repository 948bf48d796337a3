import type { Schemas } from '../api/client.ts';

export type Integration = Schemas['addonSchema'];
export type Provider = Schemas['addonTypeSchema'];
export type Parameter = Provider['parameters'][number];

/** What the form of an integration edits. */
export interface Draft {
  /** Null as long as nobody has given one. */
  description: string | null;
  enabled: boolean;
  parameters: Record<string, string>;
  events: string[];
  projects: string[];
  environments: string[];
}

/** Stands for a stored secret. Sent back, it keeps the secret. */
export const mask = '*****';

/** All event types, or all projects, in a list. */
export const every = '*';

/** A new integration is sent the events that its provider suggests. */
export function newDraft({ events }: Provider): Draft {
  return { description: null, enabled: true, parameters: {}, events: [...events], projects: [], environments: [] };
}

export function draftOf({ description, enabled, parameters, events, projects, environments }: Integration): Draft {
  return { description, enabled, parameters, events, projects, environments };
}

/** The body of the write that makes or changes an integration. An empty parameter is one that is not given. */
export function bodyOf(provider: string, { description, parameters, ...rest }: Draft) {
  const given = Object.entries(parameters).filter(([, value]) => value !== '');
  return {
    provider,
    ...rest,
    ...(description !== null && { description: description.trim() }),
    parameters: Object.fromEntries(given),
  };
}

/**
 * The secrets that have to be typed again: they were given for one destination and are not sent to another. Empty while
 * the destination is the stored one.
 */
export function secretsToRepeat({ parameters }: Provider, stored: Draft, draft: Draft): string[] {
  const value = ({ parameters: values }: Draft, name: string) => values[name] ?? '';
  const hasMoved = parameters.some(
    ({ name, destination }) => destination && value(stored, name) !== value(draft, name),
  );
  if (!hasMoved) return [];
  return parameters.filter(({ name }) => draft.parameters[name] === mask).map(({ name }) => name);
}

/** The list with the value, or without it. */
export function toggled(values: readonly string[], value: string, isChosen: boolean): string[] {
  return isChosen ? [...values, value] : values.filter((each) => each !== value);
}
