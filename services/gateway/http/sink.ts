import type { RequestContext } from '@yardarm/shared/bus';

/** The open end of an answer that is sent bit by bit. */
export interface Sink {
  /** Resolves when there is room for more. Throws once the stream is over. */
  write(text: string): Promise<void>;
  /** Aborted when the client has gone or takes nothing, its token no longer opens the door, or the gateway is stopping. */
  signal: AbortSignal;
  /**
   * For a request of the stream's own: the door is opened anew, as for any request, and the deadline begins now. Throws what the door
   * says; `unavailable` passes, and with any refusal the stream is over.
   */
  context(): Promise<RequestContext>;
}
