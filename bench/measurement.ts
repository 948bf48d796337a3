/** The figures of all runs of one comparison or bound, in the order of the runs. */
export interface Runs {
  subject: number[];
  baseline: number[];
}

export interface Line {
  row: string;
  what: string;
  unit: string;
  /** The median of the runs; null when nothing could be measured. */
  figure: number | null;
  baseline: number | null;
  /** figure / baseline. */
  ratio: number | null;
  goal: string;
  /** Null without a goal, and when not measured; `remark` then gives the reason. */
  holds: boolean | null;
  remark: string;
  runs: Runs;
}

/** The middle value, or the mean of the two middle values. Throws without values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('there is no median of no values');
  return (lower + upper) / 2;
}

/** The smallest value that at least `percent` of the values do not exceed. Throws without values. */
export function percentile(values: readonly number[], percent: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((values.length * percent) / 100) - 1)];
  if (value === undefined) throw new Error('there is no percentile of no values');
  return value;
}

/** Measures subject, baseline, subject, ..., so that other work of the machine affects both alike. */
export async function alternating(
  runs: number,
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<Runs> {
  const figures: Runs = { subject: [], baseline: [] };
  for (let run = 0; run < runs; run += 1) {
    figures.subject.push(await subject());
    figures.baseline.push(await baseline());
  }
  return figures;
}

/** Measures a figure several times, for a goal that is a bound. */
export async function repeated(runs: number, subject: () => Promise<number>): Promise<Runs> {
  const figures: Runs = { subject: [], baseline: [] };
  for (let run = 0; run < runs; run += 1) figures.subject.push(await subject());
  return figures;
}

type Named = Pick<Line, 'row' | 'what' | 'unit'> & { remark?: string };

/** A line whose goal is a ratio to the baseline of at least `goal`. */
export function atLeast(goal: number, runs: Runs, named: Named): Line {
  const figure = median(runs.subject);
  const baseline = median(runs.baseline);
  const ratio = figure / baseline;
  return { remark: '', ...named, figure, baseline, ratio, goal: `>= ${goal}`, holds: ratio >= goal, runs };
}

/** A line whose goal is at most `goal`: a ratio to the baseline, or without one a figure in its unit. */
export function atMost(goal: number, runs: Runs, named: Named): Line {
  const figure = median(runs.subject);
  const baseline = runs.baseline.length === 0 ? null : median(runs.baseline);
  const ratio = baseline === null ? null : figure / baseline;
  return {
    ...{ remark: '', ...named, figure, baseline, ratio },
    ...{ goal: `<= ${goal}`, holds: (ratio ?? figure) <= goal, runs },
  };
}

/** A line without a goal, which is measured to be seen beside another; it may have a baseline. */
export function beside(runs: Runs, named: Named): Line {
  return { ...atMost(Number.POSITIVE_INFINITY, runs, named), goal: '', holds: null };
}

export function notMeasured(named: Named & { goal: string; remark: string }): Line {
  return { ...named, figure: null, baseline: null, ratio: null, holds: null, runs: { subject: [], baseline: [] } };
}

/** The line with a figure that does not count, for the given reasons; unchanged without reasons. */
export function discounted(line: Line, reasons: readonly string[]): Line {
  return reasons.length === 0 ? line : { ...line, holds: false, remark: [line.remark, ...reasons].join('; ') };
}

/** Whether the goal holds, else by how much it is missed. */
export function verdict(line: Line): string {
  if (line.figure === null) return 'not measured';
  if (line.goal === '') return 'no goal';
  if (line.holds) return 'holds';
  const reached = line.ratio ?? line.figure ?? 0;
  const goal = Number(line.goal.replace(/^[<>]= /, ''));
  if (line.goal.startsWith('>=') ? reached >= goal : reached <= goal) return 'does not count';
  const missing = Math.abs(reached - goal) / goal;
  return `missed by ${(missing * 100).toFixed(missing < 0.1 ? 1 : 0)} %`;
}
