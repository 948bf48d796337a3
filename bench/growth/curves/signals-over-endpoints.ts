import { startBarePublisher } from '../../baselines/bare-publisher.ts';
import { alternating, median } from '../../measurement.ts';
import { idsPerRun, sendToBareExpress } from '../../rows/06-signals.ts';
import { sendSignals, smallBody } from '../../rows/signals.ts';
import { openEndpoints, openSignalStore } from '../../system/signals.ts';
import { type Growth, pointsOf } from '../curve.ts';

/** An installation has five at most. */
const counts = [1, 2, 3, 4, 5];
/** As in row 6. */
const seconds = 20;

export const signalsOverEndpoints: Growth = {
  name: 'signals-over-endpoints',
  title: 'Signals, published and acknowledged',
  x: 'signal endpoints',
  unit: 'per second',
  baseline: 'a bare Express that publishes',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('signals');
    const endpoints = await openEndpoints(yardarm.api);
    const store = await openSignalStore(yardarm);
    const settled = async (send: () => Promise<{ count: number; seconds: number }>) => {
      const { count, seconds: took } = await send();
      await store.drain();
      return count / took;
    };
    const bare = async () => {
      const ids = { endpointId: endpoints[0]!.id, tokenId: endpoints[0]!.tokenId };
      const firstId = await store.drawIds(idsPerRun);
      const publisher = await startBarePublisher({ natsUrl: yardarm.natsUrl, ...ids, firstId });
      return sendToBareExpress(bench, publisher.url, undefined).finally(() => publisher.stop());
    };
    try {
      return await pointsOf(counts, async (count) => {
        const load = { gateway: yardarm.url, body: smallBody, seconds: bench.seconds(seconds) };
        const runs = await alternating(
          bench.runs,
          () =>
            settled(() => sendSignals(bench, { ...load, endpoint: endpoints[0]!, others: endpoints.slice(1, count) })),
          () => settled(bare),
        );
        return { figure: median(runs.subject), baseline: median(runs.baseline) };
      });
    } finally {
      await store.close();
    }
  },
};
