import type { TestProject } from 'vitest/node';
import { prepareConsole } from '../start/console.ts';
import { projectFolder } from '../start/options.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the built console. */
    consoleDir: string;
  }
}

const builds = globalThis as { [key: symbol]: Promise<string> | undefined };
const key = Symbol.for('yardarm.test-console');

/**
 * Builds the console once per run, as `npm start` does: again only when its sources have changed. Each project with
 * browser tests has a copy of this module, so the build is on globalThis.
 */
export async function setup(project: TestProject): Promise<void> {
  builds[key] ??= build();
  project.provide('consoleDir', await builds[key]);
}

async function build(): Promise<string> {
  const problems: string[] = [];
  const note = (line: string) => void problems.push(line);
  const folder = await prepareConsole(projectFolder, () => undefined, note, new AbortController().signal);
  if (folder === undefined) throw new Error(problems.join('\n') || 'There is no console to build.');
  return folder;
}
