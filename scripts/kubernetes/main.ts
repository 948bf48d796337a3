// `npm run kubernetes`: renders the overlays of deploy/kubernetes into deploy/kubernetes/rendered, which the checks of
// `npm test` read without kubectl. With --check it only reports what is stale.
//
// Exit codes: 0 done; 1 a file is stale or an overlay cannot be rendered; 2 kubectl is missing or too old, or an
// argument is wrong.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { KubectlError } from './kubectl.ts';
import { nameOf, parseObjects, renderedFile } from './objects.ts';
import { type Rendered, render } from './render.ts';

function compare(rendered: Rendered): string[] {
  const stale = Object.entries(rendered.overlays).filter(([overlay, text]) => {
    const file = renderedFile(overlay);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  return stale.map(([overlay]) => `deploy/kubernetes/rendered/${overlay}.yaml is stale; run npm run kubernetes`);
}

/** A folder that is applied alone has the objects that `production` has of it. */
function differentAlone({ overlays, parts }: Rendered): string[] {
  const all = parseObjects(overlays.production!);
  return Object.entries(parts).flatMap(([part, text]) => {
    const different = parseObjects(text).filter((object) => !all.some((other) => isDeepStrictEqual(object, other)));
    return different.map((object) => `production/${part} alone has another ${nameOf(object)} than production`);
  });
}

try {
  const [word, ...more] = process.argv.slice(2);
  if ((word !== undefined && word !== '--check') || more.length > 0) {
    console.error('Usage: npm run kubernetes [-- --check]');
    process.exit(2);
  }
  const rendered = render();
  const isCheck = word === '--check';
  if (!isCheck)
    for (const [overlay, text] of Object.entries(rendered.overlays)) {
      mkdirSync(path.dirname(renderedFile(overlay)), { recursive: true });
      writeFileSync(renderedFile(overlay), text);
    }
  const problems = [...compare(rendered), ...differentAlone(rendered)];
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${Object.keys(rendered.overlays).join(', ')}: ${isCheck ? 'current' : 'rendered'}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = error instanceof KubectlError ? 2 : 1;
}
