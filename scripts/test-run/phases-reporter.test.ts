import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { phasesTable } from './phases-reporter.ts';

function moduleOf(project: string, name: string, testsSeconds: number): TestModule {
  return {
    project: { name: project, config: { root: '/repository' } },
    moduleId: `/repository/${name}`,
    diagnostic: () => ({ environmentSetupDuration: 0, prepareDuration: 100, collectDuration: 400, setupDuration: 0 }),
    meta: () => ({ times: { setup: 1, tests: testsSeconds, teardown: 0.5 } }),
  } as unknown as TestModule;
}

test('adds up the phases of each project and of all', () => {
  const lines = phasesTable([moduleOf('int', 'a.int.test.ts', 2), moduleOf('unit', 'b.test.ts', 3)]).split('\n');
  const cells = (name: string) => lines.find((line) => line.startsWith(name))!.split(/\s+/);
  expect(cells('int')).toEqual(['int', '0.1', '0.4', '1.0', '2.0', '0.5', '4.0', '1']);
  expect(cells('all')).toEqual(['all', '0.2', '0.8', '2.0', '5.0', '1.0', '9.0', '2']);
});

test('lists the twenty slowest files, the slowest first', () => {
  const modules = Array.from({ length: 25 }, (_, index) => moduleOf('int', `${index}.int.test.ts`, index));
  const names = phasesTable(modules).match(/\d+\.int\.test\.ts/g);
  expect(names).toEqual(Array.from({ length: 20 }, (_, index) => `${24 - index}.int.test.ts`));
});
