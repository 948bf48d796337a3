export { type BackoffLimits, backoff } from './backoff.ts';
export { type Sweep, type SweepOptions, startSweep } from './sweep.ts';
export { createTurns, type Turns } from './turns.ts';
export { pause, WakeUp } from './wake-up.ts';
