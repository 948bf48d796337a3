import { existsSync } from 'node:fs';
import path from 'node:path';
import { buildConsole } from '../console/build.ts';
import { hashOfSources } from '../console/sources-hash.ts';

/**
 * Returns the folder of the console, and builds it unless there is a build of the same sources. Its name is the hash of
 * the sources, so a gateway that is restarted finds the build with which its system was started. `npm ci` removes the
 * builds. Without the package, or when it cannot be built, it returns undefined: Yardarm works without the console.
 */
export async function prepareConsole(
  project: string,
  say: (line: string) => void,
  warn: (line: string) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const source = path.join(project, 'packages/console');
  if (!existsSync(path.join(source, 'package.json'))) return undefined;
  try {
    const out = path.join(project, 'node_modules/.cache/console', hashOfSources(project));
    if (existsSync(out)) return out;
    say('Building the console ...');
    await buildConsole(source, out, signal);
    return out;
  } catch (error) {
    const [problem] = (error as Error).message.split('\n');
    if (!signal.aborted) warn(`The console could not be built, so Yardarm starts without it: ${problem}`);
    return undefined;
  }
}
