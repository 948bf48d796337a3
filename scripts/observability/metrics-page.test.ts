import { expect, test } from 'vitest';
import { metricsPage } from './metrics-page.ts';

const metric = (name: string, labels: string[] = []) => ({ name, type: 'gauge', labels, help: `What ${name} | says` });

test('each metric is listed once, under the services that have it, those of most services first', () => {
  const page = metricsPage({
    gateway: [metric('bus_a'), metric('own_g', ['kind', 'state'])],
    flags: [metric('bus_a'), metric('db_b')],
    events: [metric('bus_a'), metric('db_b')],
  });
  const lines = page.split('\n').filter((line) => /^(## |\| `)/.test(line));
  expect(lines).toEqual([
    '## Every service',
    '| `bus_a` | gauge |  | What bus_a \\| says |',
    '## Every service but gateway',
    '| `db_b` | gauge |  | What db_b \\| says |',
    '## gateway',
    '| `own_g` | gauge | `kind`, `state` | What own_g \\| says |',
  ]);
});
