import { databaseSettings } from '@yardarm/shared/config';
import { type Container, type KubeObject, podOf, serviceOf, type Workload, workloadsOf } from '../objects.ts';

/** The pool of a process, and its connection for leases. */
const leaseConnections = 1;
/** A migration holds a lock with one connection, and works with another. */
const migrationConnections = 2;
const defaultMaxConnections = databaseSettings.DATABASE_MAX_CONNECTIONS.parse(undefined);

interface Autoscaler extends KubeObject {
  spec: { maxReplicas: number; scaleTargetRef: { name: string } };
}

/**
 * The most connections to Postgres that the objects can open at once: each service at the maximum of its autoscaler,
 * with one replica more while it is replaced, and all migrations.
 */
export function mostConnections(objects: readonly KubeObject[]): number {
  const workloads = workloadsOf(objects);
  return workloads.reduce((sum, workload) => sum + connectionsOf(workload, objects), 0);
}

function connectionsOf(workload: Workload, objects: readonly KubeObject[]): number {
  if (workload.spec.template.metadata.labels['yardarm/postgres'] !== 'client') return 0;
  if (workload.kind === 'Job') return migrationConnections;
  const { replicas = 1, strategy } = workload.spec;
  const autoscaler = objects.find(
    ({ kind, spec }) =>
      kind === 'HorizontalPodAutoscaler' && (spec as Autoscaler['spec']).scaleTargetRef.name === workload.metadata.name,
  ) as Autoscaler | undefined;
  // A StatefulSet replaces a pod after it has ended.
  const surge = workload.kind === 'Deployment' ? (strategy?.rollingUpdate?.maxSurge ?? 0) : 0;
  const pods = Math.max(replicas, autoscaler?.spec.maxReplicas ?? 0) + surge;
  const perPod = podOf(workload).containers.filter((one) => serviceOf(one) !== null);
  return pods * perPod.reduce((sum, one) => sum + poolOf(one, objects) + leaseConnections, 0);
}

function poolOf({ env = [], envFrom = [] }: Container, objects: readonly KubeObject[]): number {
  const maps = envFrom.map(({ configMapRef }) => configMapRef?.name);
  const settings = objects.filter(({ kind, metadata }) => kind === 'ConfigMap' && maps.includes(metadata.name));
  const given =
    env.find(({ name }) => name === 'DATABASE_MAX_CONNECTIONS')?.value ??
    settings.map(({ data }) => data?.DATABASE_MAX_CONNECTIONS).find((value) => value !== undefined);
  return given === undefined ? defaultMaxConnections : Number(given);
}
