/** The figures of one comparison or one bound, of every run, in the order of the runs. */
export interface Runs {
  subject: number[];
  baseline: number[];
}

/** One line of the report. */
export interface Line {
  row: string;
  what: string;
  unit: string;
  /** Median over the runs; null when nothing could be measured. */
  figure: number | null;
  baseline: number | null;
  /** figure / baseline. */
  ratio: number | null;
  goal: string;
  /** null: not measured, `remark` says why. */
  holds: boolean | null;
  remark: string;
  runs: Runs;
}

/** The middle value; of an even number of values the mean of the two in the middle. Throws for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new Error('there is no median of no values');
  return (lower + upper) / 2;
}

/** The smallest value that at least `percent` of the values do not exceed. Throws for none. */
export function percentile(values: readonly number[], percent: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((values.length * percent) / 100) - 1)];
  if (value === undefined) throw new Error('there is no percentile of no values');
  return value;
}

/** Subject, baseline, subject, ...: what the machine does meanwhile falls on both alike. */
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

/** The same figure several times, for what has a bound and no baseline. */
export async function repeated(runs: number, subject: () => Promise<number>): Promise<Runs> {
  const figures: Runs = { subject: [], baseline: [] };
  for (let run = 0; run < runs; run += 1) figures.subject.push(await subject());
  return figures;
}

type Named = Pick<Line, 'row' | 'what' | 'unit'> & { remark?: string };

/** A line whose goal is a ratio to the baseline: at least `goal`. */
export function atLeast(goal: number, runs: Runs, named: Named): Line {
  const figure = median(runs.subject);
  const baseline = median(runs.baseline);
  const ratio = figure / baseline;
  return { remark: '', ...named, figure, baseline, ratio, goal: `>= ${goal}`, holds: ratio >= goal, runs };
}

/** A line whose goal is a bound on the figure itself: at most `goal`, in the unit of the figure. */
export function atMost(goal: number, runs: Runs, named: Named): Line {
  const figure = median(runs.subject);
  return {
    ...{ remark: '', ...named, figure, baseline: null, ratio: null },
    ...{ goal: `<= ${goal}`, holds: figure <= goal, runs },
  };
}

/** A line without a figure. */
export function notMeasured(named: Named & { goal: string; remark: string }): Line {
  return { ...named, figure: null, baseline: null, ratio: null, holds: null, runs: { subject: [], baseline: [] } };
}

/** The same line where something that the figure depends on did not happen, so that it does not count; `why` says what. */
export function discounted(line: Line, why: readonly string[]): Line {
  return why.length === 0 ? line : { ...line, holds: false, remark: [line.remark, ...why].join('; ') };
}

/** Whether the goal is held, and by how much not. */
export function verdict(line: Line): string {
  if (line.holds === null) return 'not measured';
  if (line.holds) return 'holds';
  const reached = line.ratio ?? line.figure ?? 0;
  const wanted = Number(line.goal.replace(/^[<>]= /, ''));
  if (line.goal.startsWith('>=') ? reached >= wanted : reached <= wanted) return 'does not count';
  const missing = Math.abs(reached - wanted) / wanted;
  return `missed by ${(missing * 100).toFixed(missing < 0.1 ? 1 : 0)} %`;
}
