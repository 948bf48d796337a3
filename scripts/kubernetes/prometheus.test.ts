// Prometheus finds the pods of the rendered objects, with the labels that the alerts, dashboards and autoscalers need.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serviceNames } from '@yardarm/shared/contracts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ruleGroups } from '../observability/rules.ts';
import { labelsOfPods, podOf, readRendered, serviceOf, type Workload, workloadsOf } from './objects.ts';
import { type RelabelStep, relabel } from './testing/relabel.ts';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => parse(readFileSync(path.join(root, file), 'utf8'));
const compose = read('deploy/observability/prometheus.yml');
const kubernetes = read('deploy/observability/prometheus-kubernetes.yml');
const [scrape] = kubernetes.scrape_configs as [{ relabel_configs: RelabelStep[] } & Record<string, unknown>];
const objects = [...readRendered('production'), ...readRendered('signals')];
const workloads = workloadsOf(objects);

/** The targets that Prometheus discovers in a pod of the workload: one for each port, or one without a port. */
function discovered(workload: Workload, phase = 'Running') {
  const name = labelsOfPods(workload)['app.kubernetes.io/name']!;
  const ports = podOf(workload).containers.flatMap((container) => container.ports ?? []);
  return (ports.length === 0 ? [undefined] : ports).map((port) => ({
    __meta_kubernetes_namespace: 'yardarm',
    __meta_kubernetes_pod_name: `${workload.metadata.name}-0`,
    __meta_kubernetes_pod_phase: phase,
    __meta_kubernetes_pod_label_app_kubernetes_io_name: name,
    __meta_kubernetes_pod_container_port_name: port?.name ?? '',
  }));
}

const targetsOf = (workload: Workload, phase?: string) =>
  discovered(workload, phase)
    .map((labels) => relabel(labels, scrape.relabel_configs))
    .filter((target) => target !== null);

test('each pod of a service is one target with the name of its service, and no other pod is one', () => {
  expect(new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))).toEqual(new Set(['yardarm']));
  expect(scrape).toMatchObject({ kubernetes_sd_configs: [{ role: 'pod', namespaces: { names: ['yardarm'] } }] });
  const found = new Set<string>();
  for (const workload of workloads) {
    const { name } = workload.metadata;
    const service = serviceOf(podOf(workload).containers[0]!);
    const targets = service === null ? [] : [{ service, namespace: 'yardarm', pod: `${name}-0` }];
    expect([name, targetsOf(workload)]).toEqual([name, targets]);
    expect([name, targetsOf(workload, 'Failed')]).toEqual([name, []]);
    if (service !== null) found.add(service);
  }
  expect(found).toEqual(new Set(serviceNames));
});

test('the job is the one of the alerts, and is scraped as in compose', () => {
  const { job_name: job, honor_labels: honorsLabels } = compose.scrape_configs[0];
  expect(scrape).toMatchObject({ job_name: job, honor_labels: honorsLabels });
  expect({ ...kubernetes, scrape_configs: [] }).toEqual({ ...compose, scrape_configs: [] });
  const expressions = ruleGroups().flatMap(({ rules }) => rules.map(({ expr }) => expr));
  const jobs = expressions.flatMap((text) => [...text.matchAll(/job="([^"]*)"/g)].map(([, name]) => name));
  expect(new Set(jobs)).toEqual(new Set([job]));
});

test('the adapter serves the gauges of the autoscalers, by a label that the targets have', () => {
  const autoscalers = objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler') as {
    spec: { metrics: { external?: { metric: { name: string } } }[] };
  }[];
  const asked = autoscalers.flatMap(({ spec }) => spec.metrics.flatMap(({ external }) => external?.metric.name ?? []));
  const [{ seriesQuery, resources }] = read('deploy/observability/prometheus-adapter.yaml').externalRules;
  expect(/^\{__name__=~"(.*)"\}$/.exec(seriesQuery)![1]!.split('|').sort()).toEqual(asked.sort());
  expect(asked).toHaveLength(2);
  const service = workloads.find((one) => serviceOf(podOf(one).containers[0]!) === 'signals')!;
  expect(Object.keys(targetsOf(service)[0]!)).toEqual(expect.arrayContaining(Object.keys(resources.overrides)));
});
