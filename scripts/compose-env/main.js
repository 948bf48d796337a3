// @ts-check
// `npm run compose-env`: writes .env with generated secrets for docker-compose.yml, beside it. It is plain JavaScript
// without packages, because a machine that runs containers has none installed.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { secretsFor } from './secrets.js';

// The tests pass another folder.
const folder = process.argv[2] ?? path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const file = path.join(folder, '.env');
const compose = readFileSync(path.join(folder, 'docker-compose.yml'), 'utf8');
const lines = [...secretsFor(compose)].map(([name, value]) => `${name}=${value}`);
try {
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' });
  console.log(`${file} has ${lines.length} generated secrets. Keep a copy: the database accepts no others.`);
} catch (error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  console.error(
    code === 'EEXIST'
      ? `${file} exists and was not changed: its secrets are those of the database.`
      : `${file} cannot be written (${code}).`,
  );
  process.exitCode = 1;
}
