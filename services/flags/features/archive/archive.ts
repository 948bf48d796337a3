import { AppError, redactValue } from '@yardarm/shared/errors';

/** A message names so many flags that a caller knows what to do. */
const maxNamed = 3;

/** Several names for a message, the first of them if there are many. */
function named(names: readonly string[]): string {
  const first = names.slice(0, maxNamed).map((name) => redactValue(name, []));
  return names.length > maxNamed ? `${first.join(', ')} and ${names.length - maxNamed} more` : first.join(', ');
}

/** `invalid-operation` of a parent that would be archived without all of its children. */
export function isParent(dependencies: readonly { parent: string; child: string }[]): AppError {
  const [{ parent }] = dependencies as [{ parent: string; child: string }];
  const children = dependencies.filter((dependency) => dependency.parent === parent).map(({ child }) => child);
  return new AppError(
    'invalid-operation',
    `The feature ${redactValue(parent, [])} cannot be archived while others depend on it: ${named(children)}. Archive them together.`,
  );
}

/** `operation-denied` of flags that the request looks for in a project that is not theirs. */
export function areInOtherProjects(names: readonly string[], project: string): AppError {
  return new AppError(
    'operation-denied',
    `These features are not in the project ${redactValue(project, [])}: ${named(names)}. Nothing was done.`,
  );
}
