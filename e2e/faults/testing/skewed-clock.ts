// Loaded before a service's main file (`node --import`): the process sees a wall clock that is wrong by CLOCK_SKEW_MS.
import { clockSkewMs } from '../options.ts';

const skewMs = clockSkewMs();
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...values: [] | [number | string | Date]) {
    if (values.length === 0) super(RealDate.now() + skewMs);
    else super(...values);
  }

  static override now(): number {
    return RealDate.now() + skewMs;
  }
} as DateConstructor;
