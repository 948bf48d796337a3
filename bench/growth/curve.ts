import type { Bench } from '../row.ts';

export interface Point {
  x: number;
  figure: number;
  baseline: number;
}

/** How a figure grows, with that of its baseline at the same points. */
export interface Curve {
  /** Of its file. */
  name: string;
  title: string;
  x: string;
  unit: string;
  /** What is measured beside it, or what the goal allows. */
  baseline: string;
  points: Point[];
}

/** A curve that is not measured yet. */
export interface Growth extends Omit<Curve, 'points'> {
  measure(bench: Bench): Promise<Point[]>;
}

/** Measures at each place in turn. The figures are medians of the runs. */
export async function pointsOf(xs: readonly number[], measure: (x: number) => Promise<Omit<Point, 'x'>>) {
  const points: Point[] = [];
  for (const x of xs) points.push({ x, ...(await measure(x)) });
  return points;
}

/** The same for a figure whose baseline is that of the first place. */
export async function pointsBesideFirst(xs: readonly number[], measure: (x: number) => Promise<number>) {
  const points = await pointsOf(xs, async (x) => ({ figure: await measure(x), baseline: 0 }));
  return points.map((point) => ({ ...point, baseline: points[0]!.figure }));
}
