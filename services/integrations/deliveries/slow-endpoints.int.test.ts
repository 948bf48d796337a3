// Proves, with real endpoints, that many integrations whose endpoints answer slowly do not delay the others.
import type { ServerResponse } from 'node:http';
import { eventually, longTest } from '@yardarm/testing';
import { expect } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

/** More than the sends of a process. */
const count = 600;

longTest(
  `${count} endpoints that do not answer delay no delivery to one that does`,
  async () => {
    const service = await run.rig.start();
    const good = await run.startEndpoint();
    await run.rig.create({ url: good.url });
    await run.rig.record({});
    await service.processAll();

    const held: ServerResponse[] = [];
    let isHolding = true;
    const slow = await run.startEndpoint((response) => void (isHolding ? held.push(response) : response.end()));
    await Promise.all(Array.from({ length: count }, () => run.rig.create({ url: slow.url })));
    await run.rig.record({});
    await eventually(() => expect(held).toHaveLength(256));
    for (let n = 0; n < 5; n += 1) {
      await run.rig.record({});
      await eventually(() => expect(good.calls).toHaveLength(n + 3), 1_000);
    }
    isHolding = false;
    for (const response of held) response.end();
  },
  120_000,
);
