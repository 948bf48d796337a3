import { z } from 'zod';
import { hint } from '../contract.ts';

/** A gateway that misses it keeps its streams. Their contents are current, so nothing is lost. */
export const disconnectStreamsHint = hint({
  name: 'gateway.disconnect-streams',
  summary: 'Every gateway ends the streams of its SDKs, which connect again',
  payload: z.object({}),
});
