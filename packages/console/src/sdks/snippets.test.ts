import { expect, test } from 'vitest';
import { sdkIds, sdks } from './snippets.ts';

const connection = { url: 'https://flags.example.com/base', token: 'default:development.yd_1', flag: 'new-checkout' };

test.each(sdkIds)('the snippet for %s has address, token and flag', (id) => {
  const code = sdks[id].code(connection);
  for (const part of [`${connection.url}`, connection.token, connection.flag]) expect(code).toContain(part);
  expect(code).not.toMatch(/undefined|\$\{/);
});

test.each(sdkIds)('a single quote in the name of a flag ends no text of the snippet for %s', (id) => {
  expect(sdks[id].code({ ...connection, flag: "a')-evil('" })).not.toContain("'a')-evil('");
});

test.each(sdkIds)('the address in the snippet for %s is one that its kind of token may use', (id) => {
  const path = /https:\/\/flags\.example\.com\/base([\w/]*)/.exec(sdks[id].code(connection))![1];
  const expected =
    id === 'openfeature' ? [''] : sdks[id].tokenType === 'frontend' ? ['/api/frontend'] : ['/api', '/api/'];
  expect(expected).toContain(path);
});

test('the crates whose types the snippet for Rust mixes have versions that fit each other', () => {
  const { install } = sdks.rust;
  for (const crate of ['unleash-api-client@0.15 ', 'reqwest@0.12 ', 'enum-map@2 ']) expect(install).toContain(crate);
});
