// @ts-check
// `npm run kubernetes-secrets`: writes the secrets of the overlay `trial` with generated values, into the file that its
// kustomization names. It is plain JavaScript without packages, as `npm run compose-env`.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSecrets } from '../compose-env/write-secrets.js';
import { secretObjects, trialSecrets } from './trial-secrets.js';

// The tests pass another folder.
const folder =
  process.argv[2] ??
  path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../deploy/kubernetes/overlays/trial');
const file = path.join(folder, 'secrets.yaml');
const secrets = trialSecrets();
writeSecrets(file, secretObjects(secrets), Object.keys(secrets).length);
