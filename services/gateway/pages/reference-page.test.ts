import { expect, test } from 'vitest';
import { route } from '../routing/route.ts';
import { referencePage } from './reference-page.ts';

const one = route({
  method: 'put',
  path: '/api/admin/things/:id',
  operationId: 'updateThing',
  summary: 'Changes a <thing> & "more"',
  tag: 'Good Things',
  audience: 'admin',
  permission: ['UPDATE_PROJECT', 'ADMIN'],
  answer: { status: 200 },
  errors: [],
  handle: async () => ({ status: 200 }),
});

test('lists each route under its tag, with a link to it', () => {
  const page = referencePage([one], '');
  expect(page).toContain('<summary>Good Things</summary>');
  expect(page).toContain('href="#/Good%20Things/updateThing"');
  expect(page).toContain('<code>PUT /api/admin/things/{id}</code>');
});

test('escapes texts', () => {
  expect(referencePage([one], '')).toContain('Changes a &#60;thing&#62; &#38; &#34;more&#34;');
});

test('marks what is deprecated', () => {
  expect(referencePage([{ ...one, isDeprecated: true }], '')).toContain('(deprecated)');
});

test('has nothing inline, and its addresses begin with the base path', () => {
  const page = referencePage([one], '/flags');
  expect(page).not.toMatch(/<style|style=|<script>|\son\w+=/);
  for (const [, address] of page.matchAll(/ (?:src|href|data-document)="([^"]*)"/g)) {
    expect(address).toMatch(/^(\/flags\/|#\/)/);
  }
});
