// Builds the console into the folder of the argument: `node scripts/console/main.ts <folder>`. The image is built with
// it. `npm start` builds by itself.

import path from 'node:path';
import { buildConsole } from './build.ts';

const out = process.argv[2];
if (out === undefined) {
  console.error('Usage: node scripts/console/main.ts <folder>');
  process.exit(2);
}
await buildConsole(path.resolve(import.meta.dirname, '../../packages/console'), path.resolve(out));
