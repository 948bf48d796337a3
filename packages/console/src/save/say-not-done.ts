import { sayProblem } from '../ui/toasts.tsx';
import { attemptOf, outcomeOf } from './outcome.ts';

/** Says that something else than a change of a flag was not done, or that nobody knows. The caller reads it again. */
export function sayNotDone(subject: string, done: string, error: Error, sendAgain?: () => void): void {
  const { title, description, canSendAgain } = outcomeOf(error, attemptOf(subject, done));
  sayProblem(title, error, { description, ...(canSendAgain && sendAgain && { sendAgain }) });
}
