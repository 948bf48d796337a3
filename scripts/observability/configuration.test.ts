// The files of the compose profile `observability` that promtool does not check: they name what exists.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serviceNames } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => parse(readFileSync(path.join(root, file), 'utf8'), { merge: true });
const compose = read('docker-compose.yml');

/** The file or folder of the repository that a container sees at this path. */
function mounted(service: string, inContainer: string): string | undefined {
  const volumes: string[] = compose.services[service].volumes;
  const mounts = volumes.map((volume) => volume.split(':') as [string, string, string?]);
  const [source, target] = mounts.find(([, at]) => inContainer === at || inContainer.startsWith(`${at}/`)) ?? [];
  return source === undefined ? undefined : path.join(source, path.relative(target!, inContainer));
}

test('Prometheus scrapes every service at its health port, and reads the rules', () => {
  const { scrape_configs: configs, rule_files: rules } = read('deploy/observability/prometheus.yml');
  expect(configs).toHaveLength(1);
  const [{ job_name: job, honor_labels: honorsLabels, dns_sd_configs: sources }] = configs;
  expect({ job, honorsLabels }).toEqual({ job: 'yardarm', honorsLabels: true });
  expect(sources).toMatchObject([{ names: [...serviceNames], port: Number(compose['x-environment'].HEALTH_PORT) }]);
  for (const service of serviceNames) expect(compose.services[service]).toBeDefined();
  expect(rules.map((file: string) => mounted('prometheus', `/etc/prometheus/${file}`))).toEqual([
    'deploy/observability/alerts.yaml',
  ]);
});

test('Grafana reads its data source, and the dashboards at the path of their provider', () => {
  const { datasources } = read('deploy/observability/grafana/datasources.yaml');
  expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }]);
  const { scrape_interval: interval } = read('deploy/observability/prometheus.yml').global;
  expect(datasources[0].jsonData.timeInterval).toBe(interval);
  const { providers } = read('deploy/observability/grafana/dashboards.yaml');
  expect(providers.map((each: { options: { path: string } }) => mounted('grafana', each.options.path))).toEqual([
    'deploy/observability/dashboards',
  ]);
  const home: string = compose.services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
  expect(read(mounted('grafana', home)!)).toMatchObject({ uid: 'yardarm-overview' });
});

test('each part of the collector is defined and in a pipeline, and its exporter needs no other server', () => {
  const { service, ...parts } = read('deploy/observability/collector.yaml');
  const kinds = ['receivers', 'processors', 'exporters'] as const;
  const used = Object.values<Record<string, string[]>>(service.pipelines);
  for (const kind of kinds)
    expect(Object.keys(parts[kind]).sort()).toEqual([...new Set(used.flatMap((pipeline) => pipeline[kind]!))].sort());
  expect(Object.keys(parts).sort()).toEqual([...kinds].sort());
  expect(Object.keys(parts.exporters)).toEqual(['debug']);
  expect(parts.receivers.otlp.protocols.http.endpoint).toBe('0.0.0.0:4318');
  const [config] = compose.services.collector.command.map((argument: string) => argument.split('=')[1]);
  expect(mounted('collector', config)).toBe('deploy/observability/collector.yaml');
});
