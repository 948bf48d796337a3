export { type BackoffLimits, backoff } from './backoff.ts';
export { type Caller, ConcurrencyLimit, stopping } from './concurrency-limit.ts';
export { type MaybePromise, whenThere } from './maybe-promise.ts';
export { pause, WakeUp } from './wake-up.ts';
