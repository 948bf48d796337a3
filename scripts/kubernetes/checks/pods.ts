import { type Container, type KubeObject, nameOf, podOf, serviceOf, type Workload, workloadsOf } from '../objects.ts';

/** A service drains within 10 s of SIGTERM (packages/shared/service). */
const drainSeconds = 10;

/** What breaks the profile `restricted` of pod security, and what else every pod must have. */
export function podProblems(objects: readonly KubeObject[]): string[] {
  return workloadsOf(objects).flatMap((workload) => {
    const pod = podOf(workload);
    const failed = [
      ...failures({
        'has to run as another user than root': pod.securityContext?.runAsNonRoot === true,
        'needs the seccomp profile RuntimeDefault': pod.securityContext?.seccompProfile?.type === 'RuntimeDefault',
        'gets a token of its service account': pod.automountServiceAccountToken === false,
      }),
      ...pod.containers.flatMap(containerFailures),
      // A Job that fails deletes a pod that is restarted, with its log.
      ...failures({ 'has no log when it fails': workload.kind !== 'Job' || pod.restartPolicy === 'Never' }),
      ...(workload.kind === 'Job' ? [] : pod.containers.flatMap((one) => probeFailures(one, workload))),
    ];
    return failed.map((problem) => `${nameOf(workload)} ${problem}`);
  });
}

function containerFailures({ securityContext, resources, volumeMounts = [] }: Container): string[] {
  const { capabilities } = securityContext ?? {};
  return failures({
    'may get more privileges': securityContext?.allowPrivilegeEscalation === false,
    'keeps capabilities': capabilities?.drop?.includes('ALL') === true && capabilities.add === undefined,
    'may write to its image': securityContext?.readOnlyRootFilesystem === true,
    'requests no CPU and memory': resources?.requests?.cpu !== undefined && resources.requests.memory !== undefined,
    'has no limit of memory': resources?.limits?.memory !== undefined,
    'may write to its secrets': volumeMounts.every(({ name, readOnly }) => name !== 'secrets' || readOnly === true),
  });
}

/** Liveness asks no dependency. Readiness asks all, so that the two differ for each of our services. */
function probeFailures(container: Container, workload: Workload): string[] {
  const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container;
  const grace = podOf(workload).terminationGracePeriodSeconds ?? 0;
  const isPublic = container.ports?.some(({ name }) => name === 'http') === true;
  const pause = lifecycle?.preStop?.sleep?.seconds ?? 0;
  const common = failures({
    'has no startup probe': startupProbe !== undefined,
    'has no liveness probe': livenessProbe !== undefined,
    'has no readiness probe': readinessProbe !== undefined,
    'is killed before it has drained': grace >= pause + drainSeconds,
    'closes its listener while it is an endpoint': !isPublic || pause > 0,
  });
  if (serviceOf(container) === null) return common;
  return [
    ...common,
    ...failures({
      'is restarted for another reason than /livez': livenessProbe?.httpGet?.path === '/livez',
      'starts by another path than /livez': startupProbe?.httpGet?.path === '/livez',
      'is ready by another path than /ready': readinessProbe?.httpGet?.path === '/ready',
    }),
  ];
}

function failures(conditions: Record<string, boolean>): string[] {
  return Object.entries(conditions).flatMap(([problem, holds]) => (holds ? [] : [problem]));
}
