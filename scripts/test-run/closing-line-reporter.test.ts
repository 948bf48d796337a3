import { expect, test } from 'vitest';
import type { TestModule } from 'vitest/node';
import { closingLine } from './closing-line-reporter.ts';

type State = 'passed' | 'failed' | 'skipped' | 'pending';

function moduleOf(states: State[], problems: { inFile?: boolean; inHook?: boolean } = {}): TestModule {
  const errors = (present = false) => (present ? [{ message: 'broken' }] : []);
  return {
    errors: () => errors(problems.inFile),
    children: {
      allSuites: () => [{ errors: () => errors(problems.inHook) }],
      allTests: () => states.map((state) => ({ result: () => ({ state }) })),
    },
  } as unknown as TestModule;
}

test('counts the tests of all files', () => {
  const modules = [moduleOf(['passed', 'passed', 'failed']), moduleOf(['passed', 'skipped'])];
  expect(closingLine(modules, [])).toBe('3 passed, 1 failed, 1 skipped');
});

test('counts a file that does not load and a hook that throws as failed', () => {
  const modules = [moduleOf([], { inFile: true }), moduleOf(['skipped'], { inHook: true })];
  expect(closingLine(modules, [])).toBe('0 passed, 2 failed, 1 skipped');
});

test('counts an error outside every test as failed', () => {
  expect(closingLine([moduleOf(['passed'])], [{ message: 'unhandled rejection' }])).toBe(
    '1 passed, 1 failed, 0 skipped',
  );
});

test('counts a test that never ended as failed', () => {
  expect(closingLine([moduleOf(['pending'])], [])).toBe('0 passed, 1 failed, 0 skipped');
});
