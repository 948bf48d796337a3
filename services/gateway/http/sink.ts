import type { RequestContext } from '@yardarm/shared/bus';

export interface Sink {
  /** Resolves when the socket accepts more. Throws once the stream has ended. */
  write(text: string): Promise<void>;
  /** Aborted when the client has gone or reads nothing, its token is no longer valid, or the gateway stops. */
  signal: AbortSignal;
  /**
   * Authenticates the caller again and returns the context for one request of the stream, with a new deadline. Throws
   * the errors of authentication. Those with a status below 500 end the stream.
   */
  context(): Promise<RequestContext>;
}
