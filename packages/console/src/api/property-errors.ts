import { nameTaken, Problem } from './problem.ts';

/** What is wrong, by the path of the property, such as `.constraints[0].value`. */
export type Errors = Readonly<Record<string, string>>;

/**
 * The refused properties that an answer names, in its details or in its message. That a name is taken is said without a
 * path, and is an error of `name`.
 */
export function errorsOf(problem: Error | null): Errors {
  if (!(problem instanceof Problem)) return {};
  const taken = nameTaken(problem);
  if (taken !== undefined) return { '.name': taken };
  const details = problem.details.length > 0 ? problem.details : [{ message: problem.message }];
  const entries = details.flatMap(({ path, message }): [string, string][] => {
    const named = /^The (\.\S+) property (.*)$/s.exec(message);
    const where = path ?? named?.[1];
    return where === undefined ? [] : [[where, sentence(named?.[2] ?? message)]];
  });
  return Object.fromEntries(entries);
}

/** The error of something whose unique property is another one than `name`. */
export function takenAt(property: string, error: Error | null): Error | null {
  const message = nameTaken(error);
  if (message === undefined) return error;
  return new Problem('conflict', message, { details: [{ path: `.${property}`, message }] });
}

/** The first error at a path or below it. */
export function errorAt(errors: Errors, path: string): string | undefined {
  const exact = errors[path];
  if (exact !== undefined) return exact;
  const below = Object.keys(errors).find((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[`));
  return below === undefined ? undefined : errors[below];
}

/** Why the API refuses a property, for its field. `name` is its path, such as `parameters.url`. */
export function fieldError(error: Error | null, name: string): string | undefined {
  return errorsOf(error)[`.${name}`];
}

/** The error, unless all that it refuses is said at one of the fields. A form shows it by its button. */
export function errorBeside(error: Error | null, names: readonly string[]): Error | null {
  if (error === null) return null;
  const refused = Object.keys(errorsOf(error));
  return refused.length > 0 && refused.every((path) => names.some((name) => path === `.${name}`)) ? null : error;
}

/** Without the errors of properties that were changed since. */
export function withoutErrorsOf(errors: Errors, properties: readonly string[]): Errors {
  return Object.fromEntries(
    Object.entries(errors).filter(([path]) => !properties.includes(/^\.(\w+)/.exec(path)?.[1] ?? '')),
  );
}

/** A message about a property begins with its verb. */
export function sentence(words: string): string {
  return /^(should|is|cannot) /.test(words) ? `It ${words}${words.endsWith('.') ? '' : '.'}` : words;
}
