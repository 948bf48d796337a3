import path from 'node:path';
import type { Settings } from '@yardarm/shared/config';
import { type KubeObject, nameOf, podOf, serviceOf, type Workload, workloadsOf } from '../objects.ts';
import { variablesOf } from './settings.ts';

/** Where the container has its configuration. */
const configurationFolder = '/etc/yardarm';

const natsOf = (objects: readonly KubeObject[]) =>
  workloadsOf(objects).find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'nats');

/**
 * Streams with another number of copies than there are servers of NATS, servers to which no route leads, and servers
 * that tell clients their IP or end without moving their leaders.
 */
export function clusterProblems(
  objects: readonly KubeObject[],
  settings: Readonly<Record<string, Settings>>,
): string[] {
  const nats = natsOf(objects);
  if (nats === undefined) return ['there is no StatefulSet nats'];
  const servers = nats.spec.replicas ?? 1;
  const streams = workloadsOf(objects).flatMap((workload) => {
    const [container] = podOf(workload).containers;
    const service = serviceOf(container!);
    if (service === null || !('NATS_STREAM_REPLICAS' in settings[service]!)) return [];
    const copies = Object.fromEntries(variablesOf(container!, objects)).NATS_STREAM_REPLICAS ?? '1';
    if (copies === String(servers)) return [];
    return [`${nameOf(workload)}: NATS_STREAM_REPLICAS is ${copies}, and NATS has ${servers} servers`];
  });
  const routes: string[] = JSON.parse(variableOf(nats, 'NATS_ROUTES') ?? '[]');
  const names = Array.from({ length: servers }, (_, index) => `nats://nats-${index}.${nats.spec.serviceName}:6222`);
  if (servers === 1) return streams;
  const missing = names.filter((name) => !routes.includes(name)).map((name) => `NATS_ROUTES lacks ${name}`);
  const advertises = podOf(nats).containers[0]!.args?.includes(`$(POD_NAME).${nats.spec.serviceName}:4222`);
  const movesLeaders = podOf(nats).containers[0]!.lifecycle?.preStop?.exec?.command.includes('ldm=1');
  const problems = [
    ...missing,
    ...(advertises ? [] : ['it tells clients an address that its certificate lacks']),
    ...(movesLeaders ? [] : ['it ends with its leaders']),
  ];
  return [...streams, ...problems.map((problem) => `${nameOf(nats)}: ${problem}`)];
}

function variableOf(workload: Workload, name: string): string | undefined {
  return podOf(workload).containers[0]!.env?.find((variable) => variable.name === name)?.value;
}

/**
 * The keys of each secret that NATS reads by its configuration: files in a volume, which it includes or names.
 */
export function natsSecretKeys(objects: readonly KubeObject[], configuration: string): Map<string, Set<string>> {
  const nats = natsOf(objects);
  if (nats === undefined) throw new Error('there is no StatefulSet nats');
  const { containers, volumes = [] } = podOf(nats);
  const { volumeMounts = [] } = containers[0]!;
  const inOtherFolders = [...configuration.matchAll(/^include "(.+)"$/gm)].map(([, file]) =>
    path.posix.join(configurationFolder, file!),
  );
  const certificates = [...configuration.matchAll(/^\s*\w+_file: (\S+)$/gm)].map(([, file]) => file!);
  const keys = new Map<string, Set<string>>();
  for (const { name, mountPath } of volumeMounts) {
    const secret = volumes.find((volume) => volume.name === name)?.secret?.secretName;
    const inVolume = [...inOtherFolders, ...certificates].filter((file) => file.startsWith(`${mountPath}/`));
    if (secret !== undefined) keys.set(secret, new Set(inVolume.map((file) => file.slice(mountPath.length + 1))));
  }
  return keys;
}
