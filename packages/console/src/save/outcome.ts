import { Problem } from '../api/problem.ts';
import { type Attempt, asSentence } from './words.ts';

/** How a change of a flag has failed, in words, and whether it may be sent again. */
export interface FailedOutcome {
  title: string;
  description: string;
  /** A change with an unknown outcome is never sent again by itself, and a refused one would be refused again. */
  canSendAgain: boolean;
}

/** The words of an attempt, as in `the endpoint a` and `switched on`. */
export function attemptOf(subject: string, done: string): Attempt {
  return {
    notDone: asSentence(`${subject} was not ${done}`),
    unknown: `It is unknown whether ${subject} was ${done}.`,
  };
}

export function outcomeOf(error: Error, { notDone, unknown }: Attempt): FailedOutcome {
  const { message } = error;
  switch (error instanceof Problem ? error.kind : 'fault') {
    case 'outcome-unknown':
    case 'unreachable':
      return {
        title: unknown,
        description: `${message} It was not sent again. What the server has now is read.`,
        canSendAgain: false,
      };
    case 'offline':
    case 'rate-limited':
      return { title: notDone, description: message, canSendAgain: true };
    case 'unavailable': {
      const isMaintenance = error instanceof Problem && error.code === 'MaintenanceModeError';
      return {
        title: notDone,
        description: isMaintenance ? message : `Nothing was done. ${message}`,
        canSendAgain: !isMaintenance,
      };
    }
    case 'unauthenticated':
      return {
        title: notDone,
        description: 'Your session had ended. Log in and do it again.',
        canSendAgain: true,
      };
    default:
      return { title: notDone, description: message, canSendAgain: false };
  }
}
