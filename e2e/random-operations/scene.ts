import type { RequestContract } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import type { z } from 'zod';

export type Ask = <C extends RequestContract>(
  contract: C,
  input: z.input<C['input']>,
) => Promise<z.output<C['output']>>;

/** `third` is created and deleted by the operations. */
export const projects = ['default', 'second', 'third'] as const;
/** `extra` is created and deleted by the operations. */
export const environments = ['development', 'production', 'extra'] as const;

/** What the operations of a run are about. */
export interface Scene {
  ask: Ask;
  prefix: string;
  name(index: number): string;
  /** A flag with the project in which it is. Concurrent operations may know an earlier project. */
  flag(index: number): { projectId: string; featureName: string };
  /** Notes where a flag is after an operation. */
  note(index: number, project: string): void;
  /** The ids of segments, one in each place. A deleted one stays until another takes its place. */
  segments: number[];
}

export const constraintsOf = (value: string) => [{ contextName: 'userId', operator: 'IN' as const, values: [value] }];

const indexes = [0, 1, 2, 3, 4];

let runs = 0;

/** Begins a run with flags and segments of its own, in three projects of two environments. */
export async function newScene(ask: Ask): Promise<Scene> {
  runs += 1;
  const prefix = `run-${runs}-`;
  await tidyUp(ask);
  const segments: number[] = [];
  for (const place of [0, 1, 2]) {
    const input = { name: `${prefix}segment-${place}`, constraints: constraintsOf('none') };
    segments.push((await ask(contracts.createSegment, input)).id);
  }
  const places = new Map<number, string>();
  const name = (index: number) => `${prefix}${index}`;
  for (const index of indexes.slice(1)) await ask(contracts.createFeature, { projectId: 'default', name: name(index) });
  return {
    ...{ ask, prefix, segments, name },
    flag: (index) => ({ projectId: places.get(index) ?? 'default', featureName: name(index) }),
    note: (index, project) => void places.set(index, project),
  };
}

/** Null when it is refused: what it needs does not exist or is in another state. */
export async function perhaps<Answer>(sent: Promise<Answer>): Promise<Answer | null> {
  return await sent.catch((error: unknown) => {
    if (error instanceof AppError && error.status < 500) return null;
    throw error;
  });
}

/** Archives the flags of the earlier run, and undoes what it did to projects and environments. */
async function tidyUp(ask: Ask): Promise<void> {
  const names = indexes.map((index) => `run-${runs - 1}-${index}`);
  for (const projectId of projects) {
    for (const child of names) await perhaps(ask(contracts.deleteDependencies, { projectId, child }));
    for (const featureName of names) await perhaps(ask(contracts.archiveFeature, { projectId, featureName }));
  }
  await perhaps(ask(contracts.createProject, { id: 'third', name: 'Third' }));
  await perhaps(ask(contracts.reviveProject, { projectId: 'third' }));
  for (const projectId of projects) {
    await perhaps(ask(contracts.removeProjectEnvironment, { projectId, environment: 'extra' }));
    for (const environment of ['development', 'production']) {
      await perhaps(ask(contracts.addProjectEnvironment, { projectId, environment }));
    }
  }
  await perhaps(ask(contracts.deleteEnvironment, { name: 'extra' }));
}
