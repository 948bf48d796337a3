// Compares lists in documents with the code: a README has every setting and every metric of its process, and no other.
// docs/operating.md has the clients that are tested.
import { readFileSync } from 'node:fs';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as events } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { isSecret } from '@yardarm/shared/config';
import { serviceNames } from '@yardarm/shared/contracts';
import { settings as signals } from '@yardarm/signals/config';
import { expect, test } from 'vitest';
import { settings as demo } from './demo/options.ts';
import { metricsPage } from './observability/metrics-page.ts';
import { registeredMetrics } from './observability/registered-metrics.ts';
import { settings as relay } from './signal-relay/options.ts';
import { settings as start } from './start/options.ts';

const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

function tableOf(file: string, heading: string): string[][] {
  const readme = read(file);
  const section = readme.split(`${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| (`.+?) \|$/gm)];
  return rows.map(([, cells]) => (cells as string).split(/\s*\|\s*/));
}

/** The settings that may be in a file, as the sentence above the table names them. */
function secretsNamedIn(file: string, heading: string): string[] {
  const section = read(file).split(`${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return codeIn(/^`<NAME>_FILE` may name [^|]*?\n\n/m.exec(section)?.[0]);
}

const codeIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);

test.each([
  ['services/gateway/README.md', '## Configuration', gateway],
  ['services/flags/README.md', '## Configuration', flags],
  ['services/events/README.md', '## Configuration', events],
  ['services/integrations/README.md', '## Configuration', integrations],
  ['services/signals/README.md', '## Configuration', signals],
  ['services/accounts/README.md', '## Configuration', accounts],
  ['docs/operating.md', '## Settings of `npm start`', start],
  ['docs/operating.md', '## Demo', demo],
  ['docs/signals.md', '## The signal relay', relay],
])('%s lists every setting under "%s", and no other, and names the secret ones', (file, heading, settings) => {
  const named = tableOf(file, heading).flatMap(([cell]) => codeIn(cell));
  expect(named.sort()).toEqual(Object.keys(settings).sort());
  const secrets = Object.entries(settings).flatMap(([name, schema]) => (isSecret(schema) ? [name] : []));
  expect(secretsNamedIn(file, heading).sort()).toEqual(secrets.sort());
});

// A prefix would need other users of NATS, a container keeps no file for the first password, and one name in traces
// would be that of all services.
const notInCompose = ['YARDARM_PREFIX', 'INITIAL_ADMIN_PASSWORD_FILE', 'OTEL_SERVICE_NAME'];

test.each([
  ['gateway', gateway],
  ['flags', flags],
  ['events', events],
  ['integrations', integrations],
  ['signals', signals],
  ['accounts', accounts],
])('docker-compose.yml passes every setting of %s', (service, settings) => {
  const [, common = '', after = ''] = read('docker-compose.yml').split(/x-environment: &environment\n|\nservices:\n/);
  const own = after.split(`\n  ${service}:\n`)[1]!.split(/\n {2}\w+:\n/)[0]!;
  const passed = [...`${common}${own}`.matchAll(/^ +([A-Z_]+):/gm)].map(([, name]) => name);
  expect(Object.keys(settings).filter((name) => !passed.includes(name) && !notInCompose.includes(name))).toEqual([]);
});

test('docs/operating.md lists the clients of Unleash and OFREP that are installed for tests, with their versions', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const clients = Object.keys(packages[''].devDependencies).filter((name) => /unleash|ofrep-.*provider/.test(name));
  const versions = clients.map((name) => [`\`${name}\``, packages[`node_modules/${name}`].version]);
  expect(
    tableOf('docs/operating.md', '## Clients')
      .map((cells) => cells.slice(0, 2))
      .sort(),
  ).toEqual(versions.sort());
});

test.each(serviceNames)(
  'services/%s/README.md lists every metric under "## Metrics", and no other',
  async (service) => {
    const registered = (await registeredMetrics())[service];
    const rows = registered.map(({ name, type, labels }) => [name, type, ...labels]);
    const named = tableOf(`services/${service}/README.md`, '## Metrics').map(([name, type, labels]) => [
      ...codeIn(name),
      type,
      ...codeIn(labels),
    ]);
    expect(named.sort()).toEqual(rows.sort());
    for (const { name } of registered)
      expect(name).toMatch(new RegExp(`^yardarm_(${service}|bus|db|http|outbox|scrape)_[a-z_]+$`));
  },
);

test('docs/metrics.md has every metric of the registries', async () => {
  expect(read('docs/metrics.md')).toBe(metricsPage(await registeredMetrics()));
});
