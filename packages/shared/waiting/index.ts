export { type BackoffLimits, backoff } from './backoff.ts';
export { type Caller, ConcurrencyLimit, keyOfActor, stopping } from './concurrency-limit.ts';
export { type MaybePromise, whenThere } from './maybe-promise.ts';
export { TimeSlicer } from './time-slicer.ts';
export { pause, WakeUp } from './wake-up.ts';
