/**
 * A value that may be there at once. A function that is called for each request of an SDK returns it without a promise
 * when memory has it, because a promise and its turn of the queue cost more than the answer.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value, at once if it is there. Errors of both are thrown, or reject the promise. */
export function whenThere<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
