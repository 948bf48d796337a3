import { type KubeObject, labelsOfPods, nameOf, podOf, selects, type Workload, workloadsOf } from '../objects.ts';

interface Service extends KubeObject {
  spec: { selector: Record<string, string>; ports: { name: string; targetPort: string }[] };
}

interface Ingress extends KubeObject {
  spec: { rules: { http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[] };
}

interface Policy extends KubeObject {
  spec: {
    podSelector: { matchLabels?: Record<string, string> };
    ingress?: { ports?: { port: string | number }[] }[];
  };
}

interface Autoscaler extends KubeObject {
  spec: { scaleTargetRef: { kind: string; name: string } };
}

/**
 * Ports of Services, paths of an Ingress, policies and autoscalers that lead nowhere. `others` are applied beside
 * these.
 */
export function portProblems(objects: readonly KubeObject[], others: readonly KubeObject[] = []): string[] {
  const workloads = workloadsOf(objects);
  const ofKind = <T extends KubeObject>(kind: string) => objects.filter((object) => object.kind === kind) as T[];
  const problems: string[] = [];
  for (const service of ofKind<Service>('Service')) {
    const selected = workloads.filter((one) => selects({ matchLabels: service.spec.selector }, labelsOfPods(one)));
    for (const { targetPort } of service.spec.ports)
      if (!selected.every((one) => portsOf(one).includes(targetPort)))
        problems.push(`${nameOf(service)} sends to no port: ${targetPort}`);
  }
  const services = [...objects, ...others].filter(({ kind }) => kind === 'Service') as Service[];
  for (const ingress of ofKind<Ingress>('Ingress'))
    for (const { backend } of ingress.spec.rules.flatMap(({ http }) => http.paths)) {
      const { name, port } = backend.service;
      const service = services.find(({ metadata }) => metadata.name === name);
      if (!service?.spec.ports.some((one) => one.name === port.name))
        problems.push(`${nameOf(ingress)} sends to no service: ${name}, ${port.name}`);
    }
  for (const policy of ofKind<Policy>('NetworkPolicy'))
    for (const { port } of (policy.spec.ingress ?? []).flatMap(({ ports = [] }) => ports)) {
      const selected = workloads.filter((one) => selects(policy.spec.podSelector, labelsOfPods(one)));
      if (!selected.some((one) => portsOf(one).includes(String(port))))
        problems.push(`${nameOf(policy)} opens no port: ${port}`);
    }
  for (const autoscaler of ofKind<Autoscaler>('HorizontalPodAutoscaler')) {
    const { kind, name } = autoscaler.spec.scaleTargetRef;
    const target = workloads.find((one) => one.kind === kind && one.metadata.name === name);
    if (target === undefined) problems.push(`${nameOf(autoscaler)} scales nothing: ${kind} ${name}`);
    // An apply would set the number back each time.
    else if (target.spec.replicas !== undefined)
      problems.push(`${nameOf(target)} has a number of replicas and an autoscaler`);
  }
  return problems;
}

const portsOf = (workload: Workload) =>
  podOf(workload).containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name));
