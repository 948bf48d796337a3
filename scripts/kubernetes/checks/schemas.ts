import { type KubeObject, nameOf } from '../objects.ts';
import { unreadFields } from './unread-fields.ts';

/** A class of kubernetes-models for a kind. `validate` throws with what does not fit the schema of the kind. */
interface Model {
  prototype: { validate(this: object): void };
}

/**
 * What does not fit the schema of Kubernetes for the object. A kind without one is a problem too. The validators ignore
 * fields that are in no schema, and read each field that is in theirs. So a field that none has read is unknown.
 */
export async function schemaProblems(objects: readonly KubeObject[]): Promise<string[]> {
  const problems = await Promise.all(
    objects.map(async (object) => (await problemsOf(object)).map((problem) => `${nameOf(object)}: ${problem}`)),
  );
  return problems.flat();
}

async function problemsOf(object: KubeObject): Promise<string[]> {
  try {
    const models = (await import(`kubernetes-models/${object.apiVersion}`)) as Record<string, Model>;
    const model = models[object.kind];
    if (model === undefined) return [`${object.apiVersion} has no kind ${object.kind}`];
    const unread = unreadFields(object, (view) => model.prototype.validate.call(view));
    return unread.map((field) => `unknown field ${field}`);
  } catch (error) {
    return [(error as Error).message];
  }
}
