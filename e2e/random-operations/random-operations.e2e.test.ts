// Proves for random operations on flags, segments, tags, projects and environments: a reader of deltas has the bytes of
// a reader of the whole from any earlier state; the revision of an environment and project rises by one exactly when
// SDKs can see a change there; concurrent operations leave no forbidden state and no deadlock.
import { EnvironmentSnapshot } from '@yardarm/gateway/environment-snapshot';
import { isLongRun } from '@yardarm/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bytesOf,
  type Fetched,
  type FlagsSystem,
  fetchChange,
  startFlagsSystem,
  synchronise,
  visibleIn,
} from './flags-system.ts';
import type { Operation } from './operation.ts';
import { anyOperation } from './operations.ts';
import { environments, newScene, perhaps, projects } from './scene.ts';
import { violationsOfData } from './violations-of-data.ts';

// A sequence takes seconds.
const sequenceCount = isLongRun ? 12 : 1;

let system: FlagsSystem;
/** Readers of each earlier state, in all runs. */
const readers: EnvironmentSnapshot[] = [];

beforeAll(async () => {
  system = await startFlagsSystem();
});
afterAll(() => system?.stop());

/** The reader of the state before, and every eighth of all, so that some sleep for long. */
async function expectDeltasToLeadToTheWhole(step: number): Promise<void> {
  const awake = readers.filter((_, index) => index >= readers.length - environments.length || index % 8 === step % 8);
  const wholes = new Map<string, string[] | null>();
  for (const environment of environments) {
    const whole = new EnvironmentSnapshot(environment);
    wholes.set(environment, (await synchronise(system, whole)) ? bytesOf(whole) : null);
  }
  for (const reader of awake) {
    const isThere = await synchronise(system, reader);
    expect(isThere ? bytesOf(reader) : null).toEqual(wholes.get(reader.environment));
  }
}

async function addReaders(): Promise<void> {
  for (const environment of environments) {
    const reader = new EnvironmentSnapshot(environment);
    if (await synchronise(system, reader)) readers.push(reader);
  }
}

const readAll = async () =>
  new Map(await Promise.all(environments.map(async (name) => [name, await fetchChange(system, name, null)] as const)));

/** A place that appears or disappears has a revision without a change. */
function expectExactRevisions(before: Fetched, after: Fetched, { changesPlaces }: Operation): void {
  for (const project of projects) {
    const revisionIn = ({ revisions }: Fetched) => revisions[project] ?? 0;
    const raised = revisionIn(after) - revisionIn(before);
    const isChanged = visibleIn(before, project) !== visibleIn(after, project);
    if (!changesPlaces || isChanged) expect([project, raised]).toEqual([project, isChanged ? 1 : 0]);
    else expect([0, 1]).toContain(raised);
  }
}

test('one after the other: deltas lead to the whole, and revisions rise exactly with visible changes', {
  timeout: 300_000,
}, async () => {
  const sequences = fc.array(anyOperation, { minLength: 10, maxLength: 40 });
  const check = async (operations: readonly Operation[]) => {
    const scene = await newScene(system.ask);
    let before = await readAll();
    for (const [step, operation] of operations.entries()) {
      await addReaders();
      await perhaps(operation.run(scene));
      const after = await readAll();
      for (const environment of environments) {
        const [earlier, later] = [before.get(environment), after.get(environment)];
        if (earlier && later) expectExactRevisions(earlier, later, operation);
      }
      await expectDeltasToLeadToTheWhole(step);
      before = after;
    }
    expect(await violationsOfData(system)).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(sequences, check), { numRuns: sequenceCount, endOnFailure: true });
});

test('at the same time: the data has no fault, deltas lead to the whole, and Postgres counts no deadlock', {
  timeout: 300_000,
}, async () => {
  readers.length = 0;
  const batches = fc.array(fc.array(anyOperation, { minLength: 2, maxLength: 10 }), { minLength: 3, maxLength: 8 });
  const check = async (sent: readonly Operation[][]) => {
    const scene = await newScene(system.ask);
    for (const [step, operations] of sent.entries()) {
      await addReaders();
      await Promise.all(operations.map((operation) => perhaps(operation.run(scene))));
      expect(await violationsOfData(system)).toEqual([]);
      await expectDeltasToLeadToTheWhole(step);
    }
  };
  await fc.assert(fc.asyncProperty(batches, check), { numRuns: sequenceCount, endOnFailure: true });
  expect(await system.database.countDeadlocks()).toBe(0);
});
