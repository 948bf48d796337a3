import type { TestSystem } from './system.ts';

/** Calls the admin API with the admin token and returns the body. Throws when the answer is a refusal. */
// biome-ignore lint/suspicious/noExplicitAny: tests read properties of answers and compare them.
export async function administer(system: TestSystem, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await system.call(method, path, body === undefined ? {} : { body });
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Makes a flag with the strategy in development, where it is off. */
export async function makeFlag(system: TestSystem, project: string, name: string, strategy: object): Promise<void> {
  const features = `/api/admin/projects/${project}/features`;
  await administer(system, 'POST', features, { name });
  await administer(system, 'POST', `${features}/${name}/environments/development/strategies`, strategy);
}

/** Switches the flag on in development. */
export async function switchOn(system: TestSystem, project: string, name: string): Promise<void> {
  await administer(system, 'POST', `/api/admin/projects/${project}/features/${name}/environments/development/on`);
}

/** Makes an SDK token for one project and development, and returns its secret. */
export async function makeSdkToken(system: TestSystem, type: 'client' | 'frontend', project: string): Promise<string> {
  const body = { type, tokenName: `${type} of ${project}`, environment: 'development', projects: [project] };
  return (await administer(system, 'POST', '/api/admin/api-tokens', body)).secret;
}
