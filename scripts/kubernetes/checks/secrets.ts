import { type KubeObject, nameOf, podOf, type Volume, workloadsOf } from '../objects.ts';

const secretName = /(PASSWORD|TOKENS?|KEYS?|SECRET|DATABASE_URL|NATS_URL|HEADERS)$/;

/** Secrets in the tree: values of Secrets, literal values of variables, and passwords in URLs anywhere. */
export function literalSecretProblems(objects: readonly KubeObject[]): string[] {
  const problems: string[] = [];
  for (const object of objects) {
    const values = Object.values({ ...object.data, ...object.stringData });
    if (object.kind === 'Secret' && values.some((value) => value !== ''))
      problems.push(`${nameOf(object)} has a value`);
    if (/:\/\/[^/"\s:@]+:[^/"\s@]+@/.test(JSON.stringify(object)))
      problems.push(`${nameOf(object)} has a password in a URL`);
    if (object.kind === 'ConfigMap' && Object.keys(object.data ?? {}).some((key) => secretName.test(key)))
      problems.push(`${nameOf(object)} has a secret setting`);
  }
  for (const workload of workloadsOf(objects))
    for (const { name, value } of podOf(workload).containers.flatMap(({ env = [] }) => env))
      if (value !== undefined && secretName.test(name)) problems.push(`${nameOf(workload)} has the value of ${name}`);
  return problems;
}

/** The keys of each secret that the objects read: files that `<NAME>_FILE` names. */
export function secretKeysOf(objects: readonly KubeObject[]): Map<string, Set<string>> {
  const keys = new Map<string, Set<string>>();
  for (const workload of workloadsOf(objects)) {
    const { containers, volumes = [] } = podOf(workload);
    for (const { env = [], volumeMounts = [] } of containers)
      for (const { value = '' } of env.filter(({ name }) => name.endsWith('_FILE'))) {
        const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`));
        const secret = secretOf(volumes.find(({ name }) => name === mount?.name));
        if (mount === undefined || secret === undefined)
          throw new Error(`${nameOf(workload)} mounts nothing at ${value}`);
        const found = keys.get(secret) ?? new Set();
        keys.set(secret, found.add(value.slice(mount.mountPath.length + 1)));
      }
  }
  return keys;
}

const secretOf = (volume: Volume | undefined) => volume?.secret?.secretName;
