import { expect, test } from 'vitest';
import { type ApiDocument, fill, requestsOfRoutes, valueAt } from './requests.ts';

test('a place in a path gets the text of its value, and a place that is a whole text the value itself', () => {
  expect(fill('/segments/{id}/strategies', { id: 7 })).toBe('/segments/7/strategies');
  expect(fill({ ids: ['{id}'], name: 'x-{id}' }, { id: 7 })).toEqual({ ids: [7], name: 'x-7' });
  expect(fill('/{unknown}', {})).toBe('/{unknown}');
  expect(fill(undefined, {})).toBeUndefined();
});

test('a value is found by its path in an answer', () => {
  expect(valueAt({ list: [{ id: 3 }] }, 'list.0.id')).toBe(3);
  expect(valueAt(undefined, 'id')).toBeUndefined();
});

test('each GET is sent with known and with unknown names, and each body with wrong values', () => {
  const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/newFlag' } } } };
  const document: ApiDocument = {
    paths: {
      '/api/admin/flags/{name}': { get: {}, put: { requestBody: body }, delete: {} },
      '/api/admin/events/stream': { get: {} },
    },
    components: { schemas: { newFlag: { properties: { name: { type: 'string' }, more: { type: 'object' } } } } },
  };
  const path = '/api/admin/flags/a';
  expect(requestsOfRoutes(document, { name: 'a' })).toEqual([
    { method: 'GET', path },
    { method: 'GET', path: '/api/admin/flags/unknown-name' },
    { method: 'PUT', path, body: 'text' },
    { method: 'PUT', path, body: { name: { wrong: true }, more: 'text' } },
  ]);
});
