import { sayProblem } from '../ui/toasts.tsx';
import { attemptOf, outcomeOf } from './outcome.ts';

/** Says that a write was not done, or that its outcome is unknown. Changes of flags say it by `useSave`. */
export function sayNotDone(subject: string, done: string, error: Error, sendAgain?: () => void): void {
  const { title, description, canSendAgain } = outcomeOf(error, attemptOf(subject, done));
  sayProblem(title, error, { description, ...(canSendAgain && sendAgain && { sendAgain }) });
}
