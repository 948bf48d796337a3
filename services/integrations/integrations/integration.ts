import type { ErrorDetail } from '@yardarm/shared/contracts';
import type { Event } from '@yardarm/shared/contracts/events';
import { eventAliases, eventTypes, eventTypesOfPeople } from '@yardarm/shared/contracts/events';
import type { Integration, Provider } from '@yardarm/shared/contracts/integrations';
import type { Keyring, Sealed } from '@yardarm/shared/encryption';
import { AppError, redactValue } from '@yardarm/shared/errors';
import type { Circuit } from '../deliveries/circuit.ts';
import type { IntegrationProvider, Parameters } from '../providers/provider.ts';

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
  /** The parameters, which are decrypted only where they are used. */
  parameters: Sealed;
  /** Its parameters were last changed, or sent without a mask, by an actor who may read events of people. */
  maySendEventsOfPeople: boolean;
  /** Null for one that an earlier version made. */
  createdAt: Date | null;
  fromEventId: number;
  version: number;
  circuit: Circuit;
}

/** Replaces a sensitive value in every answer. An update that sends it keeps the stored value. */
export const mask = '*****';

/** Alone it means all; an event type may also end with it: `feature-*`. */
const wildcard = '*';

/** An event of a change contains the configuration twice, and a message has at most a megabyte. */
const maxConfigurationBytes = 200_000;

/**
 * The configuration to store: masks become the values of `stored`, and parameters that the provider does not define are
 * removed. No stored secret goes to another destination: if the destination changes, every secret must be sent again.
 * Throws `bad-data` with all problems at once.
 */
export function checkConfiguration(
  sent: Configuration,
  provider: IntegrationProvider,
  stored: Parameters = {},
): Configuration {
  const { parameters, problems: maskProblems } = unmaskParameters(sent.parameters, provider.definition, stored);
  const problems = [
    ...(maskProblems.length > 0 ? maskProblems : parameterProblems(parameters, provider)),
    ...sent.events.flatMap((type, index) =>
      eventTypes.some((known) => covers(type, known))
        ? []
        : [
            sentProblem(
              ['events', index],
              'should be an event type, the beginning of some with * behind it, or *',
              type,
            ),
          ],
    ),
  ];
  const configuration = {
    ...sent,
    parameters,
    events: [...new Set(sent.events)],
    projects: [...new Set(sent.projects)],
    environments: [...new Set(sent.environments)],
  };
  const size = Buffer.byteLength(JSON.stringify(configuration));
  if (size > maxConfigurationBytes) {
    const message = `The integration should have at most ${maxConfigurationBytes} bytes. You sent ${size}.`;
    problems.push({ path: '', message });
  }
  if (problems.length > 0) throw badData(problems);
  return configuration;
}

export function unknownProvider(name: string, known: Iterable<string>): AppError {
  return badData([sentProblem(['provider'], `should be one of ${[...known].join(', ')}`, name)]);
}

export function deprecatedProvider({ name, deprecated }: Provider): AppError {
  return badData([sentProblem(['provider'], `cannot be chosen any more: ${deprecated?.replace(/\.$/, '')}`, name)]);
}

/** `bad-data` that names each filter that nothing can pass; null when nothing is missing. */
export function unknownPlaces(
  sent: { projects: readonly string[]; environments: readonly string[] },
  missing: { projects: readonly string[]; environments: readonly string[] },
): AppError | null {
  const problems = (['projects', 'environments'] as const).flatMap((property) =>
    sent[property].flatMap((value, index) =>
      missing[property].includes(value)
        ? [sentProblem([property, index], `should be the name of one of the ${property} that exist, or *`, value)]
        : [],
    ),
  );
  return problems.length > 0 ? badData(problems) : null;
}

/** The error text calls an integration an addon, as the public API does. */
export function integrationNotFound(id: number): AppError {
  return new AppError('not-found', `Could not find the addon with ID "${id}".`);
}

export function providerChange(from: string, to: string): AppError {
  return badData([sentProblem(['provider'], `cannot be changed, it is ${from}`, to)]);
}

/** Encrypts all parameters, because headers and templates may contain secrets too. They are bound to their provider. */
export function sealParameters(keys: Keyring, { provider, parameters }: Configuration): Sealed {
  return keys.seal(JSON.stringify(parameters), provider);
}

export function openParameters(keys: Keyring, stored: Pick<StoredIntegration, 'provider' | 'parameters'>): Parameters {
  return JSON.parse(keys.open(stored.parameters, stored.provider));
}

export function toIntegration(stored: StoredIntegration, keys: Keyring, definition?: Provider): Integration {
  return {
    ...integrationEventData(stored),
    parameters: maskParameters(openParameters(keys, stored), definition),
    createdAt: stored.createdAt?.toISOString() ?? null,
  };
}

export function integrationEventData({
  id,
  provider,
  description,
  enabled,
  events,
  projects,
  environments,
  maySendEventsOfPeople,
}: StoredIntegration): Omit<Integration, 'parameters' | 'createdAt'> {
  return { id, provider, description, enabled, events, projects, environments, maySendEventsOfPeople };
}

export function isSameConfiguration(a: Configuration, b: Configuration): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

export function hasSameFilters(a: Filters, b: Filters): boolean {
  const filters = ({ events, projects, environments }: Filters) => JSON.stringify([events, projects, environments]);
  return filters(a) === filters(b);
}

export function integrationOrderingKey(id: number): string {
  return `addon:${id}`;
}

type Filters = Pick<StoredIntegration, 'events' | 'projects' | 'environments'>;

export interface Filter extends Filters, Pick<StoredIntegration, 'enabled' | 'fromEventId' | 'maySendEventsOfPeople'> {
  /** The newest event that intake had handled when the filters changed. A replay delivers no event up to it. */
  filteredSinceEventId: number;
}

/** Whether the integration receives the event. An empty list of projects or environments means all, and so does `*`. */
export function receives(filter: Filter, event: Pick<Event, 'id' | 'type' | 'project' | 'environment'>): boolean {
  return (
    filter.enabled &&
    (filter.maySendEventsOfPeople || !eventTypesOfPeople.includes(event.type)) &&
    event.id > filter.fromEventId &&
    event.id > filter.filteredSinceEventId &&
    filter.events.some((pattern) => covers(eventAliases.get(pattern) ?? pattern, event.type)) &&
    includesName(filter.projects, event.project) &&
    includesName(filter.environments, event.environment)
  );
}

/** The sensitive parameters that were sent as the mask of a stored value. */
export function keptParameters(sent: Parameters, { parameters }: Provider, stored: Parameters): string[] {
  return parameters
    .filter(({ name, sensitive }) => sensitive && Object.hasOwn(sent, name) && sent[name] === mask && stored[name])
    .map(({ name }) => name);
}

/** Whether a list of projects or environments includes this name. */
export function includesName(names: readonly string[], name: string | null): boolean {
  return names.length === 0 || name === null || names.includes(name) || names.includes(wildcard);
}

export function covers(pattern: string, type: string): boolean {
  return pattern.endsWith(wildcard) ? type.startsWith(pattern.slice(0, -wildcard.length)) : type === pattern;
}

function maskParameters(parameters: Parameters, definition: Provider | undefined): Record<string, string> {
  const isVisible = (name: string) =>
    definition?.parameters.find((parameter) => parameter.name === name)?.sensitive === false;
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, isVisible(name) || value === '' ? value : mask]),
  );
}

function unmaskParameters(sent: Parameters, definition: Provider, stored: Parameters) {
  const { parameters } = definition;
  const values: Record<string, string> = {};
  const kept = keptParameters(sent, definition, stored);
  const problems: ErrorDetail[] = [];
  for (const { name, sensitive } of parameters) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const isMasked = sensitive && value === mask;
    const resolved = isMasked ? stored[name] : value;
    if (resolved !== undefined) values[name] = resolved;
    else if (isMasked)
      problems.push(problem(['parameters', name], 'is masked, and nothing is stored that the mask stands for'));
  }
  const changedDestination = parameters.find(
    ({ name, destination }) => destination && (values[name] ?? '') !== (stored[name] ?? ''),
  );
  if (changedDestination) {
    const complaint = `should be sent again unmasked, because .parameters.${changedDestination.name} changes`;
    problems.push(...kept.map((name) => problem(['parameters', name], complaint)));
  }
  return { parameters: values, problems };
}

function parameterProblems(parameters: Parameters, { definition, problems }: IntegrationProvider): ErrorDetail[] {
  const missing = definition.parameters
    .filter(({ name, required }) => required && !parameters[name])
    .map(({ name }) => sentProblem(['parameters', name], 'is required', parameters[name]));
  // No message contains a parameter's value: headers and templates may contain secrets too.
  const others = problems(parameters).map(({ name, complaint }) => problem(['parameters', name], complaint));
  return [...missing, ...others];
}

function sentProblem(path: (string | number)[], complaint: string, value: unknown): ErrorDetail {
  return problem(path, complaint, redactValue(value, path));
}

export function problem(path: (string | number)[], complaint: string, formatted = '***'): ErrorDetail {
  const property = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');
  return { path: property, message: `The ${property} property ${complaint}. You sent ${formatted}.` };
}

export function badData(details: ErrorDetail[]): AppError {
  const [only, ...others] = details;
  const what = others.length === 0 && only ? only.message : 'See `details` for a list of errors that occurred.';
  return new AppError('bad-data', `The request payload you provided doesn't conform to the schema. ${what}`, {
    details,
  });
}

function ordered({ provider, description, enabled, parameters, events, projects, environments }: Configuration) {
  return [provider, description, enabled, sorted(parameters), events, projects, environments];
}

export function isSameParameters(a: Parameters, b: Parameters): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(parameters: Parameters): [string, string][] {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
}
