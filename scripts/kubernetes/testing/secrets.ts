import type { Volume } from '../objects.ts';

/** The values of secrets, by the names of the secrets and by their keys. */
export type Secrets = Record<string, Record<string, string>>;

/** The files of a volume; none unless it is a secret. Throws when a secret is missing that is not optional. */
export function secretValues({ secret }: Volume, secrets: Secrets): Record<string, string> {
  if (secret === undefined) return {};
  const values = secrets[secret.secretName];
  if (values === undefined && !secret.optional) throw new Error(`the secret ${secret.secretName} is missing`);
  return values ?? {};
}
