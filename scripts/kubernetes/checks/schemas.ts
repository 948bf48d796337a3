import { type KubeObject, nameOf } from '../objects.ts';

interface Model {
  validate(): void;
}

/**
 * What does not fit the schema of Kubernetes for the object, or its name. The module of an API version has a class for each
 * kind, which knows the schema. A kind without one is a problem too.
 */
export async function schemaProblems(objects: readonly KubeObject[]): Promise<string[]> {
  const problems: string[] = [];
  for (const object of objects) {
    const reason = await problemOf(object);
    if (reason !== null) problems.push(`${nameOf(object)}: ${reason}`);
  }
  return problems;
}

async function problemOf(object: KubeObject): Promise<string | null> {
  try {
    const models = (await import(`kubernetes-models/${object.apiVersion}`)) as Record<string, unknown>;
    const ModelOfKind = models[object.kind] as (new (data: KubeObject) => Model) | undefined;
    if (ModelOfKind === undefined) return `${object.apiVersion} has no kind ${object.kind}`;
    new ModelOfKind(object).validate();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
