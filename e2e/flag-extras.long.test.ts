// Versions, links, favorites, lifecycles and lifetimes over HTTP.
import { addPerson, eventually, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let person: TestPerson;
const features = '/api/admin/projects/default/features';

beforeAll(async () => {
  system = await startSystem();
  person = await addPerson(system, 2);
});
afterAll(() => system?.stop());

const call: TestSystem['call'] = (...args) => system.call(...args);
const replace = (path: string, value: unknown) => [{ op: 'replace', path, value }];

test('a flag has its version as ETag, and a patch or a deletion of an older version is 412', async () => {
  const created = await call('POST', features, { body: { name: 'versioned' } });
  expect(created.headers.get('etag')).toBe('"1"');
  expect(created.body).not.toHaveProperty('version');
  const path = `${features}/versioned`;
  const patch = (value: string, headers: Record<string, string> = {}) =>
    call('PATCH', path, { body: replace('/description', value), headers });
  const patched = await patch('one', { 'if-match': '"1"', 'content-type': 'application/json-patch+json' });
  expect(patched).toMatchObject({ status: 200, body: { description: 'one' } });
  expect(patched.headers.get('etag')).toBe('"2"');
  const late = await patch('two', { 'if-match': '"1"' });
  expect(late).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
  expect(await patch('two', { 'if-match': '*' })).toMatchObject({ status: 200 });
  const switched = await call('POST', `${path}/environments/development/on`);
  expect(switched.headers.get('etag')).toBe('"4"');
  const [{ id }] = (await call('GET', `${path}/environments/development/strategies`)).body;
  const remove = (version: string) =>
    call('DELETE', `${path}/environments/development/strategies/${id}`, { headers: { 'if-match': version } });
  expect(await remove('"3"')).toMatchObject({ status: 412, body: { name: 'PreconditionFailedError' } });
  expect(await remove('"4"')).toMatchObject({ status: 200 });
  // A favorite or a report of usage gives no new version, so the version does not show that nothing has changed.
  const read = await call('GET', path, { headers: { 'if-none-match': '"5"' } });
  expect(read).toMatchObject({ status: 200, body: { description: 'two' } });
  expect(read.headers.get('cache-control')).toBe('no-store');
  expect(await patch('three', { 'content-type': 'application/merge-patch+json' })).toMatchObject({ status: 415 });
});

test('links are added, changed and removed', async () => {
  await call('POST', features, { body: { name: 'linked' } });
  const path = `${features}/linked`;
  const link = { url: 'https://example.com/a', title: 'A' };
  expect(await call('POST', `${path}/link`, { body: link })).toMatchObject({ status: 204, text: '' });
  const { id } = (await call('GET', path)).body.links[0];
  const changed = await call('PUT', `${path}/link/${id}`, { body: { url: 'https://example.com/b' } });
  expect(changed).toMatchObject({ status: 204, text: '' });
  expect((await call('GET', path)).body.links).toEqual([
    { id, url: 'https://example.com/b', title: 'A', feature: 'linked' },
  ]);
  expect(await call('DELETE', `${path}/link/${id}`)).toMatchObject({ status: 204, text: '' });
  expect(await call('DELETE', `${path}/link/${id}`)).toMatchObject({ status: 404 });
  expect(await call('POST', `${path}/link`, { body: { url: 'nowhere' } })).toMatchObject({ status: 400 });
});

test('a favorite belongs to the person, and an admin token has none', async () => {
  await call('POST', features, { body: { name: 'loved' } });
  const path = `${features}/loved`;
  expect(await call('POST', `${path}/favorites`, { token: person.token })).toMatchObject({ status: 200, text: '' });
  expect((await call('GET', path, { token: person.token })).body.favorite).toBe(true);
  expect((await call('GET', path)).body.favorite).toBe(false);
  const listed = (await call('GET', features, { token: person.token })).body.features;
  expect(listed.find(({ name }: { name: string }) => name === 'loved').favorite).toBe(true);
  expect(await call('DELETE', `${path}/favorites`, { token: person.token })).toMatchObject({ status: 200, text: '' });
  expect((await call('GET', path, { token: person.token })).body.favorite).toBe(false);
  expect(await call('POST', `${path}/favorites`)).toMatchObject({ status: 403, body: { name: 'NoAccessError' } });
});

test('a flag is completed and uncompleted', async () => {
  await call('POST', features, { body: { name: 'aging' } });
  const path = `${features}/aging/lifecycle`;
  const body = { status: 'kept', statusValue: 'blue' };
  expect(await call('POST', `${path}/complete`, { body })).toMatchObject({ status: 200, text: '' });
  expect((await call('GET', path)).body).toEqual([
    { stage: 'initial', enteredStageAt: expect.any(String) },
    { stage: 'completed', status: 'kept', enteredStageAt: expect.any(String) },
  ]);
  expect((await call('GET', '/api/admin/lifecycle/count')).body).toMatchObject({ completed: 1, preLive: 0 });
  expect(await call('POST', `${path}/uncomplete`)).toMatchObject({ status: 200, text: '' });
  expect((await call('GET', path)).body).toMatchObject([{ stage: 'initial' }, { stage: 'live' }]);
  expect(await call('POST', `${path}/complete`, { body: { status: 'lost' } })).toMatchObject({ status: 400 });
});

test('a new lifetime is read at once from the gateway that changed it, and soon from another', async () => {
  const url = await system.addGateway();
  const lifetimeAt = async (of: string) => {
    const { body } = await call('GET', '/api/admin/feature-types', { url: of });
    return body.types.find(({ id }: { id: string }) => id === 'experiment')?.lifetimeDays;
  };
  await eventually(async () => expect(await lifetimeAt(url)).toBe(40));
  for (const lifetimeDays of [11, 12, 13]) {
    const path = '/api/admin/feature-types/experiment/lifetime';
    const changed = await call('PUT', path, { body: { lifetimeDays } });
    expect(changed).toMatchObject({ status: 200, body: { id: 'experiment', lifetimeDays } });
    expect(await lifetimeAt(system.url)).toBe(lifetimeDays);
  }
  await eventually(async () => expect(await lifetimeAt(url)).toBe(13));
});
