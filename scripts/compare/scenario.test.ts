import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readScenario } from './scenario.ts';

test('a line is a request with its sender, its body and what it saves', () => {
  const text = `# a comment
== changes
POST /flags {"name":"a -> b"} -> id=items.0.id
person DELETE /flags/{id}
== reads
nobody GET /flags?query=a
`;
  expect(readScenario(text)).toEqual({
    changes: [
      { method: 'POST', path: '/flags', body: { name: 'a -> b' }, save: { id: 'items.0.id' } },
      { method: 'DELETE', path: '/flags/{id}', as: 'person' },
    ],
    reads: [{ method: 'GET', path: '/flags?query=a', as: 'nobody' }],
    deletions: [],
  });
});

test('a line of another form is refused', () => {
  expect(() => readScenario('pirate GET /flags')).toThrow('no request: pirate GET /flags');
});

test('the scenario can be read, and every name that it uses is saved', () => {
  const scenario = readScenario(readFileSync(new URL('scenario.txt', import.meta.url), 'utf8'));
  const requests = [...scenario.changes, ...scenario.reads, ...scenario.deletions];
  const used = [...JSON.stringify(requests).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const saved = requests.flatMap(({ save = {} }) => Object.keys(save));
  expect(saved).toEqual(expect.arrayContaining(used));
});
