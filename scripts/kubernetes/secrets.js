// @ts-check
// `npm run kubernetes-secrets`: writes the secrets of the overlay `trial` with generated values, into the file that its
// kustomization names. It is plain JavaScript without packages, as `npm run compose-env`.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { secretObjects, trialSecrets } from './trial-secrets.js';

// The tests pass another folder.
const folder =
  process.argv[2] ??
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../deploy/kubernetes/overlays/trial');
const file = path.join(folder, 'secrets.yaml');
const secrets = trialSecrets();
try {
  writeFileSync(file, secretObjects(secrets), { mode: 0o600, flag: 'wx' });
  console.log(
    `${file} has ${Object.keys(secrets).length} generated secrets. Keep a copy: the database accepts no others.`,
  );
} catch (error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  console.error(
    code === 'EEXIST'
      ? `${file} exists and was not changed: its secrets are those of the database.`
      : `${file} cannot be written (${code}).`,
  );
  process.exitCode = 1;
}
