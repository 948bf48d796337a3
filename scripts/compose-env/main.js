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
const lines = [...secretsFor(compose)].map(([name, value]) => `${name}=${value}`);
writeSecrets(file, `${lines.join('\n')}\n`, lines.length);
