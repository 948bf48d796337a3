import { Problem } from '../api/problem.ts';

/** How a change of a flag has failed, in words, and whether it may be sent again. */
export interface FailedOutcome {
  title: string;
  description: string;
  /** A change with an unknown outcome is never sent again by itself, and a refused one would be refused again. */
  canSendAgain: boolean;
}

/** `what` goes on after "This", as in "switches new-checkout on in production". */
export function outcomeOf(error: Error, what: string): FailedOutcome {
  const { message } = error;
  switch (error instanceof Problem ? error.kind : 'fault') {
    case 'outcome-unknown':
    case 'unreachable':
      return {
        title: `Unknown whether this ${what}.`,
        description: `${message} It was not sent again. What the server has now is read.`,
        canSendAgain: false,
      };
    case 'offline':
    case 'rate-limited':
      return { title: `Not done: this ${what}.`, description: message, canSendAgain: true };
    case 'unavailable': {
      const isMaintenance = error instanceof Problem && error.code === 'MaintenanceModeError';
      return {
        title: `Not done: this ${what}.`,
        description: isMaintenance ? message : `Nothing was done. ${message}`,
        canSendAgain: !isMaintenance,
      };
    }
    case 'unauthenticated':
      return {
        title: `Not done: this ${what}.`,
        description: 'Your session had ended. Log in and do it again.',
        canSendAgain: true,
      };
    default:
      return { title: `Refused: this ${what}.`, description: message, canSendAgain: false };
  }
}
