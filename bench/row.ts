import type { Line } from './measurement.ts';
import type { Stage } from './system/stage.ts';

/** What a row measures with. */
export interface Bench {
  stage: Stage;
  /** How many runs the median is of: five, one when it is only tried. */
  runs: number;
  isQuick: boolean;
  /** The protocol's duration, in seconds, or a short one when it is only tried. */
  seconds(protocol: number): number;
  /** A number of things that the protocol names, or a hundredth of it when it is only tried. */
  amount(protocol: number): number;
  /** Says what is going on, beside the table. */
  say(line: string): void;
}

/** One row of the table of goals; may have several lines. Throws when anything answered other than it should. */
export interface Row {
  number: string;
  title: string;
  measure(bench: Bench): Promise<Line[]>;
}
