// Banners and splashes over HTTP, as consoles use them.
import { addPerson, addRole, type TestPerson, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let author: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  system = await startSystem();
  author = await addPerson(system, await addRole(system, 'root-custom', [{ name: 'UPDATE_INSTANCE_BANNERS' }]));
  viewer = await addPerson(system, 3);
});
afterAll(() => system?.stop());

const path = '/api/admin/banners';
const as = (person: TestPerson, method: string, place: string, body?: unknown) =>
  system.call(method, place, { token: null, headers: { cookie: person.cookie }, body });

test('a banner is made, shown to all, switched and deleted, and the log says by whom', async () => {
  const made = await as(author, 'POST', path, { message: '**Hello**', link: 'dialog', dialog: '# More' });
  const { id } = made.body;
  expect(made).toMatchObject({ status: 201, body: { message: '**Hello**', enabled: true, variant: 'info' } });
  expect(made.headers.get('location')).toBe(`${path}/${id}`);
  expect(await as(viewer, 'GET', path)).toMatchObject({ status: 200, body: { banners: [made.body] } });
  expect(await as(author, 'POST', `${path}/${id}/off`)).toMatchObject({ status: 200, body: { id, enabled: false } });
  expect(await as(author, 'PUT', `${path}/${id}`, { message: 'Changed' })).toMatchObject({
    ...{ status: 200, body: { id, message: 'Changed', enabled: true, link: null, dialog: null } },
  });
  expect(await as(author, 'DELETE', `${path}/${id}`)).toMatchObject({ status: 200, text: '' });
  expect((await as(viewer, 'GET', path)).body).toEqual({ banners: [] });
  await system.processAll();
  const { body } = await system.call('GET', '/api/admin/search/events?type=IS_ANY_OF:banner-created,banner-deleted');
  expect(body.events).toMatchObject([
    { type: 'banner-deleted', createdBy: author.username, preData: { id, message: 'Changed' } },
    { type: 'banner-created', createdBy: author.username, data: { id, message: '**Hello**' } },
  ]);
});

test.each([
  ['message', '<img src=x onerror=alert(1)>'],
  ['message', '[x](javascript:alert(1))'],
  ['dialog', '![x](http://example.com/pixel.png)'],
  ['link', 'javascript:alert(1)'],
])('a banner with %s %j is refused by a sentence that names both', async (property, value) => {
  for (const [method, place] of [
    ['POST', path],
    ['PUT', `${path}/1`],
  ] as const) {
    const answer = await as(author, method, place, { message: 'fine', [property]: value });
    expect(answer).toMatchObject({ status: 400, body: { name: 'ValidationError' } });
    expect(answer.body.message).toMatch(new RegExp(`\\.${property} property should .*You sent`, 's'));
    expect(answer.body.message).toContain(value);
  }
});

test('a Viewer makes no banner, and an id that is no number is that of none', async () => {
  const refused = await as(viewer, 'POST', path, { message: 'fine' });
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.body.message).toContain('UPDATE_INSTANCE_BANNERS');
  for (const id of ['none', '1.5', '99999999999999999999'])
    expect(await as(author, 'DELETE', `${path}/${id}`)).toMatchObject({ status: 404 });
});

test('a splash that was seen is in the answer of the own user', async () => {
  const splash = '/api/admin/splash/new-splash-screen';
  expect(await as(viewer, 'POST', splash)).toMatchObject({
    ...{ status: 200, body: { userId: viewer.id, splashId: 'new-splash-screen', seen: true } },
  });
  const { body } = await as(viewer, 'GET', '/api/admin/user');
  expect(body).toMatchObject({ user: { id: viewer.id }, splash: { 'new-splash-screen': true } });
  expect(body.user).not.toHaveProperty('splash');
  expect((await as(author, 'GET', '/api/admin/user')).body.splash).toEqual({});
  expect(await as(viewer, 'POST', '/api/admin/splash/__proto__')).toMatchObject({ status: 400 });
});
