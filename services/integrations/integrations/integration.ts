import { can, noAccess } from '@yardarm/shared/auth';
import type { Actor, ErrorDetail } from '@yardarm/shared/contracts';
import type { Event } from '@yardarm/shared/contracts/events';
import { eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Circuit } from '../deliveries/circuit.ts';
import type { Keyring, Sealed } from '../encryption/keyring.ts';
import type { IntegrationProvider, Parameters } from '../providers/provider.ts';

/** What a user decides about an integration. */
export interface Configuration {
  provider: string;
  description: string | null;
  enabled: boolean;
  parameters: Parameters;
  events: string[];
  projects: string[];
  environments: string[];
}

export interface StoredIntegration extends Omit<Configuration, 'parameters'> {
  id: number;
  /** Opened where they are used, and nowhere else. */
  parameters: Sealed;
  fromEventId: number;
  version: number;
  circuit: Circuit;
}

/** Stands for a sensitive value in every answer; sent back, it keeps the value that is stored. */
export const mask = '*****';

/** Alone it means all; an event type may also end in it: `feature-*`. */
const everything = '*';

/** Its event carries it twice when it changes, and a message takes a megabyte. No list of projects comes near. */
const largestConfiguration = 200_000;

/**
 * The configuration to store, from what was sent: masks replaced by what `stored` has, parameters that the provider does not define
 * left out. A secret goes nowhere but where whoever gave it wanted it sent: when the destination changes, none is kept. Throws `bad-data` that names every fault at once.
 */
export function checkedConfiguration(
  sent: Configuration,
  provider: IntegrationProvider,
  stored: Parameters = {},
): Configuration {
  const { parameters, faults: unkept } = unmasked(sent.parameters, provider.definition, stored);
  const faults = [
    ...(unkept.length > 0 ? unkept : parameterFaults(parameters, provider)),
    ...sent.events.flatMap((type, index) =>
      eventTypes.some((known) => covers(type, known))
        ? []
        : [sentFault(['events', index], 'should be an event type, the beginning of some with * behind it, or *', type)],
    ),
    ...(['projects', 'environments'] as const).flatMap((list) =>
      sent[list].flatMap((name, index) => nulFault([list, index], name)),
    ),
    ...nulFault(['description'], sent.description ?? ''),
  ];
  const configuration = {
    ...sent,
    parameters,
    events: [...new Set(sent.events)],
    projects: [...new Set(sent.projects)],
    environments: [...new Set(sent.environments)],
  };
  const size = Buffer.byteLength(JSON.stringify(configuration));
  if (size > largestConfiguration) {
    const message = `The integration should have at most ${largestConfiguration} bytes. You sent ${size}.`;
    faults.push({ path: '', message });
  }
  if (faults.length > 0) throw badData(faults);
  return configuration;
}

/** The refusal of a provider that is none. */
export function unknownProvider(name: string, known: Iterable<string>): AppError {
  return badData([sentFault(['provider'], `should be one of ${[...known].join(', ')}`, name)]);
}

/** The refusal of a new integration of a provider that should be used no more. */
export function deprecatedProvider({ name, deprecated }: Provider): AppError {
  return badData([sentFault(['provider'], `cannot be chosen any more: ${deprecated}`, name)]);
}

/** The refusal of another provider for an integration that is there. */
export function providerChange(from: string, to: string): AppError {
  return badData([sentFault(['provider'], `cannot be changed, it is ${from}`, to)]);
}

/** The parameters as they are stored: all of them, since headers and templates hold secrets too. Bound to the provider they are for. */
export function sealParameters(keys: Keyring, { provider, parameters }: Configuration): Sealed {
  return keys.seal(JSON.stringify(parameters), provider);
}

/** The parameters as they are used. */
export function openParameters(keys: Keyring, stored: Pick<StoredIntegration, 'provider' | 'parameters'>): Parameters {
  return JSON.parse(keys.open(stored.parameters, stored.provider));
}

/** The integration as answers show it. */
export function toIntegration(stored: StoredIntegration, keys: Keyring, definition?: Provider): Integration {
  return { ...integrationData(stored), parameters: masked(openParameters(keys, stored), definition) };
}

/** The integration as events carry it: without parameters. */
export function integrationData({
  id,
  provider,
  description,
  enabled,
  events,
  projects,
  environments,
}: StoredIntegration): Omit<Integration, 'parameters'> {
  return { id, provider, description, enabled, events, projects, environments };
}

/** Whether the two say the same, parameters included. */
export function isSameConfiguration(a: Configuration, b: Configuration): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

/** Whether the two are sent the same events. */
export function hasSameFilters(a: Filters, b: Filters): boolean {
  const filters = ({ events, projects, environments }: Filters) => JSON.stringify([events, projects, environments]);
  return filters(a) === filters(b);
}

/** All that happens to an integration is published in order. */
export function integrationKey(id: number): string {
  return `addon:${id}`;
}

type Filters = Pick<StoredIntegration, 'events' | 'projects' | 'environments'>;

/** What decides whether an integration gets an event. */
export interface Filter extends Filters, Pick<StoredIntegration, 'enabled' | 'fromEventId'> {
  /** The newest event that had been taken when the filters were changed: a replay brings nothing up to it that was not wanted then. */
  filteredSinceEventId: number;
}

/** Whether the integration gets the event. An empty list of projects or environments means all, and so does `*`. */
export function wants(filter: Filter, event: Pick<Event, 'id' | 'type' | 'project' | 'environment'>): boolean {
  return (
    filter.enabled &&
    event.id > filter.fromEventId &&
    event.id > filter.filteredSinceEventId &&
    filter.events.some((pattern) => covers(pattern, event.type)) &&
    concerns(filter.projects, event.project) &&
    concerns(filter.environments, event.environment)
  );
}

/**
 * Refuses whoever would be sent, by the integration that they make or change, what they may not read in the log: events of people,
 * which also stand behind a wildcard.
 */
export function requireSight(
  actor: Actor | null,
  { enabled, events }: Pick<Configuration, 'enabled' | 'events'>,
): void {
  const isSent = enabled && eventTypesOfPeople.some((type) => events.some((pattern) => covers(pattern, type)));
  if (isSent && !(actor && can(actor, 'READ_LOGS'))) throw noAccess(['READ_LOGS'], {});
}

/** Whether a list of projects or environments means this one. */
export function concerns(names: readonly string[], name: string | null): boolean {
  return names.length === 0 || name === null || names.includes(name) || names.includes(everything);
}

function covers(pattern: string, type: string): boolean {
  return pattern.endsWith(everything) ? type.startsWith(pattern.slice(0, -everything.length)) : type === pattern;
}

function masked(parameters: Parameters, definition: Provider | undefined): Record<string, string> {
  const isShown = (name: string) =>
    definition?.parameters.find((parameter) => parameter.name === name)?.sensitive === false;
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, isShown(name) || value === '' ? value : mask]),
  );
}

function unmasked(sent: Parameters, { parameters }: Provider, stored: Parameters) {
  const values: Record<string, string> = {};
  const kept: string[] = [];
  const faults: ErrorDetail[] = [];
  for (const { name, sensitive } of parameters) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const isMasked = sensitive && value === mask;
    const meant = isMasked ? stored[name] : value;
    if (meant !== undefined) values[name] = meant;
    else if (isMasked)
      faults.push(fault(['parameters', name], 'is masked, and nothing is stored that the mask stands for'));
    if (isMasked && meant) kept.push(name);
  }
  const moved = parameters.find(
    ({ name, destination }) => destination && (values[name] ?? '') !== (stored[name] ?? ''),
  );
  if (moved) {
    const complaint = `is masked, and has to be given anew when .parameters.${moved.name} changes`;
    faults.push(...kept.map((name) => fault(['parameters', name], complaint)));
  }
  return { parameters: values, faults };
}

function parameterFaults(parameters: Parameters, { definition, faults }: IntegrationProvider): ErrorDetail[] {
  const missing = definition.parameters
    .filter(({ name, required }) => required && !parameters[name])
    .map(({ name }) => sentFault(['parameters', name], 'is required', parameters[name]));
  // A parameter's value is shown in no message: the sensitive ones are secrets, and headers and templates often hold some.
  const others = faults(parameters).map(({ name, complaint }) => fault(['parameters', name], complaint));
  return [...missing, ...others];
}

function nulFault(path: (string | number)[], text: string): ErrorDetail[] {
  return text.includes('\u0000') ? [sentFault(path, 'should not contain the character NUL', text)] : [];
}

function sentFault(path: (string | number)[], complaint: string, value: unknown): ErrorDetail {
  return fault(path, complaint, redactValue(value, path));
}

function fault(path: (string | number)[], complaint: string, shown = '***'): ErrorDetail {
  const property = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return { path: property, message: `The ${property} property ${complaint}. You sent ${shown}.` };
}

function badData(details: ErrorDetail[]): AppError {
  const [only, ...others] = details;
  const what = others.length === 0 && only ? only.message : 'See `details` for a list of errors that occurred.';
  return new AppError('bad-data', `The request payload you provided doesn't conform to the schema. ${what}`, {
    details,
  });
}

function ordered({ provider, description, enabled, parameters, events, projects, environments }: Configuration) {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return [provider, description, enabled, sorted, events, projects, environments];
}
