import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { violations } from './texts.ts';

// Prints the violations of the rules for texts, in the files that git tracks or would add.

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
const files = listed.split('\n').filter((file) => file !== '' && file !== 'package-lock.json' && existsSync(file));
const documents = new Set(files.filter((file) => file.endsWith('.md')).map((file) => path.basename(file)));
const found = files.flatMap((file) => violations(file, readFileSync(file, 'utf8'), documents));
for (const violation of found) console.error(violation);
if (found.length > 0) process.exitCode = 1;
