import { type KubeObject, labelsOfPods, selects, workloadsOf } from '../objects.ts';

interface Peer {
  podSelector?: { matchLabels?: Record<string, string> };
  namespaceSelector?: { matchLabels?: Record<string, string> };
  ipBlock?: { cidr: string };
}

interface Policy extends KubeObject {
  spec: {
    podSelector: { matchLabels?: Record<string, string> };
    ingress?: { from?: Peer[]; ports?: { port: string | number }[] }[];
    egress?: { to?: Peer[]; ports?: { port: string | number }[] }[];
  };
}

/** What the policies allow the pods of each workload, as `to <peer>:<port>` and `from <peer>:<port>`, sorted. */
export function edgesOf(objects: readonly KubeObject[]): Record<string, string[]> {
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as Policy[];
  const edges = workloadsOf(objects).map((workload) => {
    const own = policies.filter(({ spec }) => selects(spec.podSelector, labelsOfPods(workload)));
    const out = own.flatMap(({ spec }) => (spec.egress ?? []).flatMap(({ to, ports }) => named('to', to, ports)));
    const into = own.flatMap(({ spec }) =>
      (spec.ingress ?? []).flatMap(({ from, ports }) => named('from', from, ports)),
    );
    return [workload.metadata.name.replace(/-migrate-.+/, '-migrate'), [...new Set([...out, ...into])].sort()];
  });
  return Object.fromEntries(edges);
}

function named(direction: string, peers: Peer[] = [{}], ports: { port: string | number }[] = []): string[] {
  return peers.flatMap((peer) => ports.map(({ port }) => `${direction} ${peerName(peer)}:${port}`));
}

function peerName({ ipBlock, namespaceSelector, podSelector }: Peer): string {
  if (ipBlock !== undefined) return ipBlock.cidr;
  const labels = Object.values({ ...namespaceSelector?.matchLabels, ...podSelector?.matchLabels });
  return labels.join(' ') || (namespaceSelector === undefined ? 'anyone' : 'any pod');
}
