import type { ServiceName } from '@yardarm/shared/contracts';
import type { Line } from './measurement.ts';
import type { Stage } from './system/stage.ts';

/** The context of a row's measurement. A trial is a run with `--quick`. */
export interface Bench {
  stage: Stage;
  /** The number of runs: five, or one for a trial. */
  runs: number;
  isQuick: boolean;
  /** The protocol's duration in seconds, or a short one for a trial. */
  seconds(protocol: number): number;
  /** The protocol's amount, or a hundredth of it for a trial. */
  amount(protocol: number): number;
  /** Services that stand still during the load of a row of PATCHes. */
  stopped: readonly ServiceName[];
  say(line: string): void;
}

/** A row of the table of goals, with one or more lines. `measure` throws when any answer is unexpected. */
export interface Row {
  number: string;
  title: string;
  measure(bench: Bench): Promise<Line[]>;
}
