import { expect, test } from 'vitest';
import { route } from '../routing/route.ts';
import { documentPage } from './page.ts';

const one = route({
  method: 'put',
  path: '/api/admin/things/:id',
  operationId: 'updateThing',
  summary: 'Changes a <thing> & "more"',
  tag: 'Things',
  audience: 'admin',
  permission: ['UPDATE_PROJECT', 'ADMIN'],
  answer: { status: 200 },
  errors: [],
  handle: async () => ({ status: 200 }),
});

test('shows the method, path, summary, audience and permissions of a route', () => {
  const page = documentPage([one]);
  expect(page).toContain('<h2>Things</h2>');
  expect(page).toContain('<code>PUT /api/admin/things/{id}</code>');
  expect(page).toContain('admin: UPDATE_PROJECT or ADMIN');
});

test('escapes texts', () => {
  expect(documentPage([one])).toContain('Changes a &#60;thing&#62; &#38; &#34;more&#34;');
});
