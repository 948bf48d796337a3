import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAnswered } from './is-answered.ts';
import { type Replica, startReplica } from './replica.ts';
import type { Yardarm } from './yardarm.ts';

/** A gateway that is ready has the flags of every environment. A busy machine may need long for the 54 MB of one. */
const listingLimitMs = 120_000;

/** Starts a gateway with a data folder of its own and waits until its listing answers. */
export async function startSecondGateway(yardarm: Yardarm, folder: string): Promise<Replica> {
  mkdirSync(folder, { recursive: true });
  const gateway = await startReplica(yardarm, 'gateway', { YARDARM_DATA_DIR: folder });
  const until = Date.now() + listingLimitMs;
  while (!(await isAnswered(`${gateway.url}/api/client/features`, { authorization: yardarm.sdkToken }))) {
    if (Date.now() > until) {
      await gateway.stop();
      throw new Error('the second gateway does not answer the listing');
    }
    await sleep(50);
  }
  return gateway;
}
