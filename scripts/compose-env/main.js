// @ts-check
// `npm run compose-env`: writes .env with generated secrets for docker-compose.yml, beside it. It is plain JavaScript
// without packages, because a machine that runs containers has none installed.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { secretsFor } from './secrets.js';
import { writeSecrets } from './write-secrets.js';

// The tests pass another folder.
const folder = process.argv[2] ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = path.join(folder, '.env');
const compose = readFileSync(path.join(folder, 'docker-compose.yml'), 'utf8');
const secrets = secretsFor(compose);
const lines = [...secrets].map(([name, value]) => `${name}=${value}`);
writeSecrets({
  file,
  text: `${lines.join('\n')}\n`,
  count: lines.length,
  // Compose uses the default for an empty value too.
  missingIn: (text) =>
    [...secrets.keys()].filter(
      (name) => !new RegExp(`^[ \\t]*(export[ \\t]+)?${name}[ \\t]*=[ \\t]*["']?[^\\s"'#]`, 'm').test(text),
    ),
  consequence: 'compose would use the published values of docker-compose.yml, or not start.',
});
