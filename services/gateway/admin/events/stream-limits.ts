import { administratorOf, type StreamOptions } from '../../routing/open-streams.ts';

/** The limits of the event streams and exports of administrators. */
export const adminStreamLimits: StreamOptions = {
  // An idle stream is a socket and a timer. This many take some tens of megabytes.
  limit: 1_000,
  whenFull: 'unavailable',
  // Enough for a tool on several machines or a page in several tabs. At least twenty callers share a gateway.
  limitPerCaller: 50,
  callerOf: administratorOf,
};
