import { writeSync } from 'node:fs';
import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import './timed-runner.ts';

const maxSlowest = 20;

/** Prints the seed of a run, and at its end how long its phases took, over all workers, and its slowest files. */
export class PhasesReporter implements Reporter {
  readonly #options: { depth: string; seed: number };

  constructor(options: { depth: string; seed: number }) {
    this.#options = options;
  }

  onTestRunStart(): void {
    const { depth, seed } = this.#options;
    console.log(`depth ${depth}, seed ${seed} (YARDARM_TEST_SEED=${seed} repeats the property tests)`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const text = phasesTable(modules);
    process.once('exit', () => writeSync(1, text));
  }
}

/** The table of phases by project and the slowest files, in seconds. */
export function phasesTable(modules: readonly TestModule[]): string {
  const files = modules.map(timesOf);
  const projects = [...new Set(files.map(({ project }) => project))].sort();
  const lines = ['', 'Seconds of all workers by phase', row('', ...columns, 'files')];
  for (const project of [...projects, undefined]) {
    const of = files.filter((file) => project === undefined || file.project === project);
    const sums = columns.map((column) => sum(of.map((file) => file[column])).toFixed(1));
    lines.push(row(project ?? 'all', ...sums, String(of.length)));
  }
  lines.push('', `The ${maxSlowest} slowest files`, row('', ...columns, ''));
  const slowest = files.sort((one, other) => other.total - one.total).slice(0, maxSlowest);
  for (const file of slowest)
    lines.push(row(file.project, ...columns.map((column) => file[column].toFixed(1)), file.name));
  return `${lines.join('\n')}\n\n`;
}

const columns = ['start', 'import', 'setup', 'tests', 'teardown', 'total'] as const;

function timesOf(module: TestModule): Record<(typeof columns)[number], number> & { project: string; name: string } {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration } = module.diagnostic();
  const start = (environmentSetupDuration + prepareDuration) / 1000;
  const imported = (collectDuration + setupDuration) / 1000;
  const { setup, tests, teardown } = module.meta().times ?? { setup: 0, tests: 0, teardown: 0 };
  return {
    project: module.project.name,
    name: path.relative(module.project.config.root, module.moduleId),
    ...{ start, import: imported, setup, tests, teardown },
    total: start + imported + setup + tests + teardown,
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function row(first: string, ...cells: string[]): string {
  const last = cells.pop()!;
  return [first.padEnd(14), ...cells.map((cell) => cell.padStart(9)), `  ${last}`].join('').trimEnd();
}
