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

/**
 * The keys that the file lacks, by the form in which this program writes them.
 *
 * @param {string} text
 */
function missingIn(text) {
  const objects = text.split(/^---$/m);
  return Object.entries(secrets)
    .flatMap(([name, values]) => {
      const object = objects.find((one) => one.split('\n').includes(`  name: ${name}`)) ?? '';
      const missing = Object.keys(values).filter((key) => !new RegExp(`^  ${key}: *["']?[^\\s"']`, 'm').test(object));
      return missing.map((key) => `${key} of ${name}`);
    })
    .concat(missingPasswords(text));
}

/**
 * The passwords of NATS, which are lines of one key, that the file lacks.
 *
 * @param {string} text
 */
function missingPasswords(text) {
  const conf = Object.values(secrets['nats-users'] ?? {}).join('');
  const names = [...conf.matchAll(/^(\w+): /gm)].map(([, name]) => name ?? '');
  return names.filter((name) => !text.includes(`${name}: `));
}

writeSecrets({
  file,
  text: secretObjects(secrets),
  count: Object.keys(secrets).length,
  missingIn,
  consequence: 'pods that read them would not start.',
});
