export { type BackoffLimits, backoff } from './backoff.ts';
export { pause, WakeUp } from './wake-up.ts';
