import {
  type KubeObject,
  labelsOfPods,
  nameOf,
  podOf,
  type Selector,
  selects,
  type Workload,
  workloadsOf,
} from '../objects.ts';

/**
 * Names in objects that name nothing. `secrets` has the names of the secrets that the operator makes, because no object
 * of the tree has them.
 */
export function referenceProblems(objects: readonly KubeObject[], secrets: ReadonlySet<string>): string[] {
  const workloads = workloadsOf(objects);
  const names = (kind: string) =>
    new Set([...objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name)]);
  const known = {
    Secret: new Set([...names('Secret'), ...secrets]),
    ConfigMap: names('ConfigMap'),
    ServiceAccount: names('ServiceAccount'),
    Service: names('Service'),
  };
  const problems: string[] = [];
  const need = (from: KubeObject, kind: keyof typeof known, name: string | undefined) => {
    if (name !== undefined && !known[kind].has(name)) problems.push(`${nameOf(from)} names no ${kind}: ${name}`);
  };
  for (const workload of workloads) {
    const pod = podOf(workload);
    need(workload, 'ServiceAccount', pod.serviceAccountName ?? 'default');
    need(workload, 'Service', workload.spec.serviceName);
    for (const { secret, configMap } of pod.volumes ?? []) {
      if (secret?.optional !== true) need(workload, 'Secret', secret?.secretName);
      need(workload, 'ConfigMap', configMap?.name);
    }
    for (const { configMapRef, secretRef } of pod.containers.flatMap(({ envFrom }) => envFrom ?? [])) {
      if (configMapRef?.optional !== true) need(workload, 'ConfigMap', configMapRef?.name);
      need(workload, 'Secret', secretRef?.name);
    }
    problems.push(...mountProblems(workload), ...selectorProblems(workload));
  }
  return problems;
}

function mountProblems(workload: Workload): string[] {
  const { containers, volumes = [] } = podOf(workload);
  const claims = (workload.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name);
  const known = new Set([...volumes.map(({ name }) => name), ...claims]);
  const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  const missing = [...mounted].filter((name) => !known.has(name)).map((name) => `mounts no volume: ${name}`);
  const unused = [...known].filter((name) => !mounted.has(name)).map((name) => `does not mount ${name}`);
  return [...missing, ...unused].map((problem) => `${nameOf(workload)} ${problem}`);
}

/** Kubernetes refuses a workload that does not select its own pods. */
function selectorProblems(workload: Workload): string[] {
  const { selector } = workload.spec;
  if (selector === undefined || selects(selector, labelsOfPods(workload))) return [];
  return [`${nameOf(workload)} does not select its own pods`];
}

interface PodSelecting extends KubeObject {
  spec: { selector?: Selector; podSelector?: Selector };
}

/**
 * Services, budgets and policies that select no pods. A policy without labels selects all. `others` are applied beside
 * the objects.
 */
export function selectionProblems(objects: readonly KubeObject[], others: readonly KubeObject[] = []): string[] {
  const pods = workloadsOf([...objects, ...others]).map(labelsOfPods);
  const problems: string[] = [];
  for (const object of objects as PodSelecting[]) {
    const selector = selectorOf(object);
    if (selector === null || pods.some((labels) => selects(selector, labels))) continue;
    problems.push(`${nameOf(object)} selects no pod`);
  }
  return problems;
}

function selectorOf({ kind, spec }: PodSelecting): Selector | null {
  if (kind === 'Service') return { matchLabels: spec.selector as NonNullable<Selector['matchLabels']> };
  if (kind === 'PodDisruptionBudget') return spec.selector ?? {};
  return kind === 'NetworkPolicy' ? (spec.podSelector ?? {}) : null;
}
