import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';

const ofEveryService = parseEnv(readFileSync(path.join(import.meta.dirname, '../../deploy/node.env'), 'utf8'));

/** NODE_OPTIONS of a service's process: those of deploy/node.env, which the image has too, and the operator's own. */
export function nodeOptions(own = ''): string {
  return [ofEveryService.NODE_OPTIONS, own].filter(Boolean).join(' ');
}
