// Where the public product refuses a property that it does not know, so does this system: a misspelled `inverted` would
// otherwise make a constraint that means the opposite. Other bodies may have more, and so may what was exported.
import { type CallResult, makePassword, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let strategyId: string;

const project = '/api/admin/projects/default';
const strategies = `${project}/features/known/environments/development/strategies`;
const constraint = { contextName: 'userId', operator: 'IN', values: ['1'] };
const variant = { name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' };
const strategy = { name: 'flexibleRollout', parameters: { rollout: '50', stickiness: 'default', groupId: 'a' } };
const tag = { type: 'simple', value: 'known' };
const password = makePassword();
const payload = { type: 'string', value: 'sea', extra: 1 };
const emptyData = { features: [], featureStrategies: [] };
/** It follows each property that is refused. */
const more = { extra: 1 };

beforeAll(async () => {
  system = await startSystem();
  await send('POST', `${project}/features`, { name: 'known' }, 201);
  const body = { ...strategy, constraints: [constraint], variants: [variant] };
  strategyId = (await send('POST', strategies, body, 200)).body.id;
});
afterAll(() => system?.stop());

async function send(method: string, path: string, body: unknown, status: number): Promise<CallResult> {
  const answer = await system.call(method, path.replace('{strategy}', strategyId), { body });
  expect(answer, `${method} ${path} ${answer.text}`).toMatchObject({ status });
  return answer;
}

test.each<[what: string, method: string, path: string, body: unknown, property: string]>([
  ['a constraint', 'POST', '/api/admin/constraints/validate', { ...constraint, ...more }, '.extra'],
  ...(
    [
      ['POST', strategies],
      ['PUT', `${strategies}/{strategy}`],
      ['POST', `${project}/environments/development/default-strategy`],
    ] as const
  ).flatMap(([method, path]): [string, string, string, unknown, string][] => [
    [
      ...(['a constraint of a strategy', method, path] as const),
      ...([{ ...strategy, constraints: [constraint, { ...constraint, ...more }] }, '.constraints[1].extra'] as const),
    ],
    [
      ...(['a variant of a strategy', method, path] as const),
      ...([{ ...strategy, variants: [{ ...variant, ...more }] }, '.variants[0].extra'] as const),
    ],
    [
      ...(['a payload of a variant', method, path] as const),
      ...([{ ...strategy, variants: [{ ...variant, payload }] }, '.variants[0].payload.extra'] as const),
    ],
  ]),
  ['origins', 'POST', '/api/admin/ui-config/cors', { frontendApiOrigins: ['*'], ...more }, '.extra'],
  [
    ...(['a constraint of a segment', 'POST', '/api/admin/segments'] as const),
    ...([{ name: 'seg', constraints: [{ ...constraint, ...more }] }, '.constraints[0].extra'] as const),
  ],
  ['an order', 'POST', `${strategies}/set-sort-order`, [{ id: '{strategy}', sortOrder: 1, ...more }], '[0].extra'],
  ['a tag', 'POST', '/api/admin/tags', { ...tag, ...more }, '.extra'],
  ['a tag of a flag', 'POST', '/api/admin/features/known/tags', { ...tag, ...more }, '.extra'],
  [
    ...(['a tag of a new flag', 'POST', `${project}/features`] as const),
    ...([{ name: 'new', tags: [{ ...tag, ...more }] }, '.tags[0].extra'] as const),
  ],
  [
    ...(['a change of tags', 'PUT', '/api/admin/features/known/tags'] as const),
    ...([{ addedTags: [tag], removedTags: [], ...more }, '.extra'] as const),
  ],
  [
    ...(['a removed tag', 'PUT', '/api/admin/features/known/tags'] as const),
    ...([{ addedTags: [], removedTags: [{ ...tag, ...more }] }, '.removedTags[0].extra'] as const),
  ],
  [
    ...(['a change of tags of many flags', 'PUT', `${project}/tags`] as const),
    ...([{ features: ['known'], tags: { addedTags: [tag], removedTags: [], ...more } }, '.tags.extra'] as const),
  ],
  ['a tag type', 'POST', '/api/admin/tag-types', { name: 'team', ...more }, '.extra'],
  ['a tag type to validate', 'POST', '/api/admin/tag-types/validate', { name: 'team', ...more }, '.extra'],
  [
    ...(['a legal value', 'POST', '/api/admin/context'] as const),
    ...([{ name: 'plan', legalValues: [{ value: 'gold', ...more }] }, '.legalValues[0].extra'] as const),
  ],
  ['one legal value', 'POST', '/api/admin/context/userId/legal-values', { value: 'gold', ...more }, '.extra'],
  ['a user', 'POST', '/api/admin/user-admin', { username: 'extra', rootRole: 3, ...more }, '.extra'],
  ['a password to validate', 'POST', '/api/admin/user-admin/validate-password', { password, ...more }, '.extra'],
  ['a password of a link', 'POST', '/auth/reset/validate-password', { password, ...more }, '.extra'],
  ['a login', 'POST', '/auth/simple/login', { username: 'admin', password, ...more }, '.extra'],
  ['an environment of a project', 'POST', `${project}/environments`, { environment: 'development', ...more }, '.extra'],
  [
    ...(['a completion', 'POST', `${project}/features/known/lifecycle/complete`] as const),
    ...([{ status: 'kept', ...more }, '.extra'] as const),
  ],
  ...['import', 'validate'].map((what): [string, string, string, unknown, string] => [
    ...(['a document', 'POST', `/api/admin/features-batch/${what}`] as const),
    ...([{ project: 'default', environment: 'development', data: emptyData, ...more }, '.extra'] as const),
  ]),
])('%s with an unknown property is refused: %s %s', async (_what, method, path, body, property) => {
  const { body: error } = await send(method, path, body, 400);
  const message = `The ${property} property is not allowed. You sent 1.`;
  expect(error.details).toEqual([expect.objectContaining({ message })]);
  expect(error.message).toContain(message);
});

test('a property of a path is refused in such a body too', async () => {
  const body = { status: 'kept', featureName: 'other' };
  const { body: error } = await send('POST', `${project}/features/known/lifecycle/complete`, body, 400);
  expect(error.message).toContain('.featureName');
});

test('the value of an unknown property with a secret name is not shown', async () => {
  const body = { username: 'admin', password, passwordAgain: password };
  const { text } = await send('POST', '/auth/simple/login', body, 400);
  expect(text).toContain('.passwordAgain');
  expect(text).not.toContain(password);
});

test('a patch cannot add an unknown property to a constraint', async () => {
  const patch = [{ op: 'add', path: '/constraints/0/extra', value: 1 }];
  const { text } = await send('PATCH', `${strategies}/{strategy}`, patch, 400);
  expect(text).toContain('.constraints[0].extra');
});

test('strategies, segments, tags, legal values and default strategies can be sent as they were read', async () => {
  const read = await send('GET', `${strategies}/{strategy}`, undefined, 200);
  await send('PUT', `${strategies}/{strategy}`, read.body, 200);
  const segment = { name: 'readers', constraints: [constraint] };
  const made = (await send('POST', '/api/admin/segments', segment, 201)).body;
  const stored = (await send('GET', `/api/admin/segments/${made.id}`, undefined, 200)).body;
  await send('PUT', `/api/admin/segments/${made.id}`, stored, 204);

  await send('POST', '/api/admin/features/known/tags', tag, 201);
  const { tags } = (await send('GET', '/api/admin/features/known/tags', undefined, 200)).body;
  expect(tags).toEqual([{ ...tag, color: null }]);
  await send('PUT', '/api/admin/features/known/tags', { addedTags: tags, removedTags: [] }, 200);
  const created = (await send('POST', `${project}/features`, { name: 'tagged', tags }, 201)).body;
  expect(created.tags).toEqual([tag]);

  const field = { name: 'size', legalValues: [{ value: 'small', description: 'The least' }] };
  await send('POST', '/api/admin/context', field, 201);
  await send(
    'PUT',
    '/api/admin/context/size',
    (await send('GET', '/api/admin/context/size', undefined, 200)).body,
    200,
  );
  const path = `${project}/environments/development/default-strategy`;
  await send('POST', path, (await send('POST', path, strategy, 200)).body, 200);
});

test('other bodies may have unknown properties', async () => {
  await send('POST', `${project}/features`, { name: 'more', ...more }, 201);
  await send('POST', strategies, { ...strategy, ...more }, 200);
  await send('POST', '/api/admin/segments', { name: 'more', constraints: [], ...more }, 201);
  await send('PUT', '/api/admin/tag-types/simple', { description: 'A tag', ...more }, 200);
  await send('POST', '/api/admin/user-admin/validate-password', { password, confirmPassword: password }, 200);
});

test('an export can be imported, also one with unknown properties inside', async () => {
  const selected = { environment: 'development', features: ['known'] };
  const data = (await send('POST', '/api/admin/features-batch/export', selected, 200)).body;
  for (const each of data.featureStrategies) {
    each.constraints = each.constraints.map((sent: object) => ({ ...sent, ...more }));
    each.variants = each.variants.map((sent: object) => ({ ...sent, ...more }));
  }
  expect(data.featureStrategies[0].constraints).toEqual([expect.objectContaining(more)]);
  await send('POST', '/api/admin/features-batch/import', { project: 'default', environment: 'production', data }, 200);
  const [imported] = (await send('GET', strategies.replace('development', 'production'), undefined, 200)).body;
  expect(imported.constraints).toEqual([expect.objectContaining(constraint)]);
  expect(imported.constraints[0]).not.toHaveProperty('extra');
});
