/** A question to the playground, as the address of the page has it. */
export interface PlaygroundSearch {
  environments?: string[];
  project?: string;
  /** Fields of the context and their values. A value with commas asks for each of its parts. */
  context?: [field: string, value: string][];
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isField = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every(isText);

/** Takes what it knows from an address. */
export function parsePlaygroundSearch({ environments, project, context }: Record<string, unknown>): PlaygroundSearch {
  return {
    ...(Array.isArray(environments) && environments.every(isText) && { environments }),
    ...(isText(project) && { project }),
    ...(Array.isArray(context) && context.every(isField) && { context }),
  };
}

/** As the API takes it; null until an environment is chosen. */
export function toQuestion({ environments = [], project, context = [] }: PlaygroundSearch) {
  if (environments.length === 0) return null;
  const fields = context.filter(([field, value]) => field !== '' && value !== '');
  return {
    environments,
    projects: project === undefined ? ('*' as const) : [project],
    // The API asks for the name of an application. SDKs always send one.
    context: { appName: 'playground', ...Object.fromEntries(fields) },
  };
}
