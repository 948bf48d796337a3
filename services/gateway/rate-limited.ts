import { AppError } from '@yardarm/shared/errors';
import { refusedRequests } from './metrics.ts';

/**
 * What refuses a request with 429:
 *
 *   requests      requests of an address or user in a minute (`*_RATE_LIMIT_PER_MINUTE`)
 *   streams       open streams and exports, of one caller or of all
 *   token-checks  unknown tokens that wait for their check
 *   signals       the rate of a signal endpoint
 *   signal-reads  reads of a token of a signal endpoint
 *   turns         works of one token that wait for their turn
 *   attempts      logins and passwords; accounts counts these
 */
export type Limit = 'requests' | 'streams' | 'token-checks' | 'signals' | 'signal-reads' | 'turns' | 'attempts';

/** The error `rate-limited` of a limit of the gateway. `limit` is a label of the metric and is not sent. */
export class RateLimited extends AppError {
  readonly limit: Limit;

  constructor(limit: Limit, message: string, retryAfterSeconds: number) {
    super('rate-limited', message, { retryAfterSeconds });
    this.limit = limit;
  }
}

/** Counts the error of an answer if it is a 429. One without a limit came over the bus: only accounts sends it. */
export function countRefusal(error: unknown): void {
  if (error instanceof AppError && error.code === 'rate-limited')
    refusedRequests.inc({ limit: error instanceof RateLimited ? error.limit : 'attempts' });
}
