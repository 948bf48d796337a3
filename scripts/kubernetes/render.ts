import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kustomize, requireKubectl } from './kubectl.ts';
import { kubernetesFolder, overlays } from './objects.ts';
import { secretObjects, trialSecrets } from './trial-secrets.js';

export interface Rendered {
  /** The text of each overlay. */
  overlays: Record<string, string>;
  /** The text of each folder of `production`, which is applied alone. */
  parts: Record<string, string>;
}

/**
 * Renders a copy of deploy/kubernetes with new secrets, so that those of a trial are not read. The copies of NATS's
 * configuration are left out: they change with each contract, and `npm run contracts` writes them without kubectl.
 * Throws KubectlError.
 */
export function render(): Rendered {
  requireKubectl();
  const copy = mkdtempSync(path.join(tmpdir(), 'yardarm-kubernetes-'));
  try {
    cpSync(kubernetesFolder, copy, { recursive: true, filter: (file) => path.basename(file) !== 'secrets.yaml' });
    writeFileSync(path.join(copy, 'overlays/trial/secrets.yaml'), secretObjects(trialSecrets()));
    for (const file of [
      'base/nats/nats.conf',
      'base/nats/nats-users.conf',
      'overlays/production/nats/nats-cluster.conf',
    ])
      writeFileSync(path.join(copy, file), `# deploy/${path.basename(file)}\n`);
    const folderOf = (name: string) => path.join(copy, 'overlays', name);
    const parts = readdirSync(folderOf('production'), { withFileTypes: true }).filter((one) => one.isDirectory());
    return {
      overlays: Object.fromEntries(overlays.map((name) => [name, withoutSecrets(kustomize(folderOf(name)))])),
      parts: Object.fromEntries(parts.map(({ name }) => [name, kustomize(folderOf(`production/${name}`))])),
    };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The keys of secrets stay, for the checks. kubectl writes each value on one line, or on lines of their own. */
function withoutSecrets(text: string): string {
  const documents = text.split(/^---\n/m);
  const isSecret = (document: string) => /^kind: Secret$/m.test(document);
  return documents
    .map((document) =>
      isSecret(document)
        ? document.replaceAll(/^( {2}(?:[A-Z_]+|passwords\.conf):) .*$(?:\n {4}.*$)*/gm, '$1 ""')
        : document,
    )
    .join('---\n');
}
