// The committed objects of each overlay are those that a cluster accepts and that work together. They are read without
// kubectl; render.long.test.ts compares them with what kubectl makes of the tree.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settings as accounts } from '@yardarm/accounts/config';
import { settings as events } from '@yardarm/events/config';
import { settings as flags } from '@yardarm/flags/config';
import { settings as gateway } from '@yardarm/gateway/config';
import { settings as integrations } from '@yardarm/integrations/config';
import { settings as signals } from '@yardarm/signals/config';
import { expect, test } from 'vitest';
import { mostConnections } from './checks/connections.ts';
import { edgesOf } from './checks/edges.ts';
import { clusterProblems, natsSecretKeys } from './checks/nats.ts';
import { podProblems } from './checks/pods.ts';
import { portProblems } from './checks/ports.ts';
import { referenceProblems, selectionProblems } from './checks/references.ts';
import { schemaProblems } from './checks/schemas.ts';
import { literalSecretProblems, secretKeysOf } from './checks/secrets.ts';
import { settingProblems } from './checks/settings.ts';
import { versionProblems } from './checks/versions.ts';
import { type KubeObject, overlays, parseObjects, podOf, readRendered, serviceOf, workloadsOf } from './objects.ts';
import { trialSecrets } from './trial-secrets.js';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const settings = { accounts, events, flags, gateway, integrations, signals };
const page = read('docs/kubernetes.md');
const rendered = Object.fromEntries(overlays.map((name) => [name, readRendered(name)])) as Record<
  (typeof overlays)[number],
  KubeObject[]
>;

/** What a server of production reads. */
const natsConfiguration = () => read('deploy/nats-cluster.conf') + read('deploy/kubernetes/base/nats/nats-users.conf');

const componentLabel = 'app.kubernetes.io/component';

/** The objects that the page shows, which an operator applies besides. */
const ofPage = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].flatMap(([, text]) => parseObjects(text!));

/** The secrets that the page tells an operator to make, with their keys. */
const documented = new Map(
  [...page.matchAll(/^\| `([\w-]+)` \| (.+?) \|/gm)].map(([, name, keys]) => [
    name!,
    [...keys!.matchAll(/`([\w.]+)`/g)].map(([, key]) => key!).sort(),
  ]),
);

test.each(overlays)('every object of %s fits the schema of Kubernetes', async (overlay) => {
  expect(rendered[overlay].length).toBeGreaterThan(1);
  expect(await schemaProblems(rendered[overlay])).toEqual([]);
});

test.each(overlays)('every name in %s names an object, or a secret of the page', (overlay) => {
  const secrets = overlay === 'trial' ? new Set<string>() : new Set(documented.keys());
  expect(referenceProblems(rendered[overlay], secrets)).toEqual([]);
  expect(portProblems(rendered[overlay], rendered.production)).toEqual([]);
});

test.each(overlays)('every selector in %s selects pods', (overlay) => {
  // The policy of `traces` is for the pods of production.
  expect(selectionProblems(rendered[overlay], overlay === 'traces' ? rendered.production : [])).toEqual([]);
});

test.each(overlays)('every pod of %s is restricted, has probes and has the time to drain', (overlay) => {
  expect(podProblems(rendered[overlay])).toEqual([]);
});

test.each(['trial', 'production'] as const)('one label selects all that the migrations of %s need', (overlay) => {
  const selected = rendered[overlay].filter(({ metadata }) => metadata.labels?.[componentLabel] === 'migration');
  const jobs = rendered[overlay].filter(({ kind }) => kind === 'Job');
  expect(jobs.length).toBe(6);
  expect(workloadsOf(selected)).toEqual(jobs);
  expect(referenceProblems(selected, new Set(secretKeysOf(rendered[overlay]).keys()))).toEqual([]);
  const policies = selected.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(policies.length).toBe(jobs.length);
  expect(selectionProblems(selected)).toEqual([]);
  expect(page).toContain(`overlays/production -l ${componentLabel}=migration`);
});

test.each(overlays)('%s has no secret in it', (overlay) => {
  expect(literalSecretProblems(rendered[overlay])).toEqual([]);
});

test.each(overlays)(
  'every variable of a service in %s is one of its settings, with a value that it accepts',
  (overlay) => {
    expect(settingProblems(rendered[overlay], settings)).toEqual([]);
  },
);

test.each(overlays)('%s has the version of this tree', (overlay) => {
  const { version } = JSON.parse(read('package.json'));
  expect(versionProblems(rendered[overlay], version)).toEqual([]);
});

test('production keeps below the connections of the Postgres that the page describes', () => {
  const limit = Number(/max_connections: '(\d+)'/.exec(page)![1]);
  const most = mostConnections([...rendered.production, ...rendered.signals]);
  expect(page).toContain(`${most} connections`);
  // Postgres reserves three for superusers.
  expect(most).toBeLessThanOrEqual(limit - 3);
});

test('the policy that the page has for Postgres lets the services in', async () => {
  const policy = ofPage.find(({ kind }) => kind === 'NetworkPolicy')!;
  expect(await schemaProblems([policy])).toEqual([]);
  const cluster = ofPage.find(({ kind }) => kind === 'Cluster')!;
  const pods = { 'cnpg.io/cluster': cluster.metadata.name };
  const postgres = {
    spec: { template: { metadata: { labels: pods } } },
    kind: 'StatefulSet',
    metadata: { name: 'pg' },
  };
  const edges = edgesOf([policy, postgres as unknown as KubeObject]).pg;
  expect(edges).toContain('from client:5432');
  // The policy of the services names the same pods.
  const [way] = rendered.production.filter(({ metadata }) => metadata.name === 'to-postgres');
  expect(way!.spec).toMatchObject({ egress: [{ to: [{ podSelector: { matchLabels: pods } }] }] });
});

test('the trial keeps below the connections of its Postgres', () => {
  const postgres = workloadsOf(rendered.trial).find(({ metadata }) => metadata.name === 'postgres')!;
  const limit = Number(/max_connections=(\d+)/.exec(podOf(postgres).containers[0]!.args!.join(' '))![1]);
  expect(mostConnections(rendered.trial)).toBeGreaterThan(100);
  expect(mostConnections(rendered.trial)).toBeLessThanOrEqual(limit - 3);
});

test('the trial makes each secret with the keys that its pods read', () => {
  const made = Object.entries(trialSecrets()).map(([name, values]) => [name, Object.keys(values).sort()]);
  const secrets = rendered.trial.filter(({ kind }) => kind === 'Secret');
  expect(secrets.map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData!).sort()])).toEqual(
    made.sort(),
  );
  for (const [name, keys] of secretKeysOf(rendered.trial))
    expect(Object.fromEntries(made)[name]).toEqual([...keys].sort());
});

test('the page has each secret of production, with the keys that its pods read', () => {
  const configuration = natsConfiguration();
  // The services read only the authority of `nats-tls`, and NATS all of it.
  const keys = [...secretKeysOf(rendered.production), ...natsSecretKeys(rendered.production, configuration)];
  const merged = new Map<string, string[]>();
  for (const [name, found] of keys) merged.set(name, [...new Set([...(merged.get(name) ?? []), ...found])].sort());
  expect(merged.size).toBeGreaterThan(12);
  for (const [name, found] of merged) expect([name, documented.get(name)]).toEqual([name, found]);
});

test('the page has each password of NATS, and no process has one in its environment', () => {
  const variables = [...natsConfiguration().matchAll(/password: \$(\w+)/g)].map(([, name]) => name!);
  // Two of each service, and that of operators.
  expect(variables.length).toBe(13);
  for (const name of variables) expect(page).toContain(`\`${name}\``);
  for (const { metadata, spec } of workloadsOf([...rendered.trial, ...rendered.production]))
    for (const { envFrom = [] } of spec.template.spec.containers)
      expect([metadata.name, envFrom.filter(({ secretRef }) => secretRef !== undefined)]).toEqual([metadata.name, []]);
});

test('each server of production has a copy of each stream, and the others know it', () => {
  expect(clusterProblems(rendered.production, settings)).toEqual([]);
  expect(clusterProblems(rendered.trial, settings)).toEqual([]);
});

test('a server of production has the time to move its leaders', () => {
  const [, seconds] = /^lame_duck_duration: (\d+)s$/m.exec(natsConfiguration())!;
  const nats = workloadsOf(rendered.production).find(({ metadata }) => metadata.name === 'nats')!;
  expect(podOf(nats).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(2 * Number(seconds));
});

test('no service gets the key of the servers of NATS', () => {
  const mounted = workloadsOf([...rendered.production, ...rendered.signals]).flatMap(({ metadata, spec }) =>
    (spec.template.spec.volumes ?? []).flatMap(({ secret }) =>
      secret?.secretName === 'nats-tls' ? [[metadata.name, secret.items?.map(({ key }) => key)]] : [],
    ),
  );
  expect(mounted.length).toBe(8);
  for (const [name, keys] of mounted) expect([name, keys]).toEqual([name, name === 'nats' ? undefined : ['ca.crt']]);
});

const common = ['from monitoring:health', 'to kube-system:53', 'to nats:4222'];
const database = [...common, 'to postgres:5432', 'to yardarm-postgres:5432'].sort();
const migration = ['to kube-system:53', 'to postgres:5432', 'to yardarm-postgres:5432'];

test('only what has to reach each other can, and only integrations reaches the world', () => {
  expect(edgesOf(rendered.production)).toEqual({
    ...Object.fromEntries(['accounts', 'events', 'flags', 'signals'].map((service) => [service, database])),
    ...Object.fromEntries(
      ['accounts', 'events', 'flags', 'integrations', 'signals'].map((service) => [`${service}-migrate`, migration]),
    ),
    'provision-migrate': migration,
    integrations: [...database, 'to 0.0.0.0/0:1', 'to ::/0:1'].sort(),
    gateway: [...common, 'from ingress:http'].sort(),
    nats: ['from nats:routes', 'from yardarm:client', 'to kube-system:53', 'to nats:routes'],
  });
});

test('with traces every service reads their settings, reaches the collector, and may have headers in a file', () => {
  const applied = structuredClone([...rendered.production, ...rendered.signals, ...rendered.traces]);
  const { data } = applied.find(({ metadata }) => metadata.name === 'traces-settings')!;
  data!.OTEL_EXPORTER_OTLP_HEADERS_FILE = '/run/secrets/traces/OTEL_EXPORTER_OTLP_HEADERS';
  expect(read('deploy/kubernetes/overlays/traces/kustomization.yaml')).toContain(data!.OTEL_EXPORTER_OTLP_HEADERS_FILE);
  expect(settingProblems(applied, settings)).toEqual([]);

  const containers = workloadsOf(applied).map((one) => [one.metadata.name, podOf(one).containers[0]!] as const);
  const services = containers.filter(([, container]) => serviceOf(container) !== null);
  expect(services.length).toBe(7);
  // The settings of a service come later, so they win.
  for (const [name, { envFrom }] of services)
    expect([name, envFrom!.map(({ configMapRef }) => configMapRef!.name)]).toEqual([
      name,
      ['traces-settings', expect.stringMatching(`^${name}-settings`)],
    ]);
  const edges = Object.entries(edgesOf(applied)).filter(([, all]) => all.includes('to monitoring:4318'));
  expect(edges.map(([name]) => name).sort()).toEqual(services.map(([name]) => name).sort());
  expect(data!.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('http://collector.monitoring:4318');

  data!.OTEL_EXPORTER_OTLP_HEADERS_FILE = '/run/secrets/other/OTEL_EXPORTER_OTLP_HEADERS';
  expect(settingProblems(applied, settings)).toHaveLength(services.length);
});

test('autoscalers ask for gauges that their service has', () => {
  const autoscalers = rendered.production.filter(({ kind }) => kind === 'HorizontalPodAutoscaler') as {
    spec: { scaleTargetRef: { name: string }; metrics: { external?: { metric: { name: string } } }[] };
  }[];
  const asked = autoscalers.flatMap(({ spec }) =>
    spec.metrics.flatMap(({ external }) => (external ? [[spec.scaleTargetRef.name, external.metric.name]] : [])),
  );
  expect(asked.length).toBe(2);
  for (const [service, metric] of asked)
    expect(read(`services/${service}/README.md`)).toContain(`| \`${metric}\` | gauge |`);
});

test('each volume of a workload is its own, because none is shared between nodes', () => {
  const claims = Object.values(rendered).flatMap((objects) =>
    workloadsOf(objects).flatMap(({ spec }) => spec.volumeClaimTemplates ?? []),
  ) as { spec?: { accessModes: string[] } }[];
  expect(claims.length).toBeGreaterThan(3);
  for (const { spec } of claims) expect(spec!.accessModes).toEqual(['ReadWriteOnce']);
});

test('the claim that the page has for after-restore is the one that events would make', async () => {
  const claim = ofPage.find(({ kind }) => kind === 'PersistentVolumeClaim')!;
  expect(await schemaProblems([claim])).toEqual([]);
  const events = workloadsOf(rendered.production).find(({ metadata }) => metadata.name === 'events')!;
  const [template] = events.spec.volumeClaimTemplates!;
  expect(claim.metadata).toEqual({ name: `${template!.metadata.name}-events-0`, namespace: 'yardarm' });
  expect(template).toMatchObject({ spec: claim.spec });
  const [job] = workloadsOf(rendered['after-restore']);
  const claims = podOf(job!).volumes!.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
  expect(claims).toContain(claim.metadata.name);
});

test('a gateway for signals serves them alone, and needs no volume', () => {
  const [gateway] = workloadsOf(rendered.signals);
  const { env } = podOf(gateway!).containers[0]!;
  expect(env!.find(({ name }) => name === 'GATEWAY_ROUTE_GROUPS')?.value).toBe('signals');
  expect(gateway!.kind).toBe('Deployment');
});
