import { type KubeObject, nameOf, podOf, workloadsOf } from '../objects.ts';

const versionLabel = 'app.kubernetes.io/version';

/** Images, labels and names of migrations with different versions. A Job's template cannot change under its name. */
export function versionProblems(objects: readonly KubeObject[], version: string): string[] {
  return workloadsOf(objects).flatMap((workload) => {
    const { image, args = [] } = podOf(workload).containers[0]!;
    if (!/(^|\/)yardarm:/.test(image)) return [];
    const label = workload.metadata.labels?.[versionLabel];
    const found = { image: image.split(':').at(-1), label, name: /-migrate-(.+)$/.exec(workload.metadata.name)?.[1] };
    const expected = { image: version, label: version, name: args[0] === 'scripts/migrate.ts' ? version : undefined };
    const wrong = (Object.keys(expected) as (keyof typeof found)[]).filter((key) => found[key] !== expected[key]);
    return wrong.map((key) => `${nameOf(workload)}: the version of its ${key} is ${found[key]}`);
  });
}
