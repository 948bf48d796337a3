import { runLoad } from '../load/load.ts';
import { atMost, percentile, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { makeActionSets, makeActor } from '../system/action-sets.ts';
import { flagNames } from '../system/flags.ts';
import { openEndpoints } from '../system/signals.ts';

/** From the goal, over five endpoints. */
const signalsPerSecond = 20;
const warmupSeconds = 5;
/** 700 signals with the warm-up, each for a flag of its own. */
const seconds = 30;

export const signalToSwitch: Row = {
  number: '18',
  title: 'a signal, from its answer until an action has switched a flag',
  async measure(bench) {
    const { api, url, sdkToken } = await bench.stage.yardarm('signals');
    const endpoints = await openEndpoints(api);
    const actor = await makeActor(api);
    // The flags are on at first. Every run switches them to the other state.
    let isOn = true;
    const runs = await repeated(bench.runs, async () => {
      isOn = !isOn;
      const deleteSets = await makeActionSets(api, endpoints, actor, { isOn });
      try {
        const delays = await runLoad({
          ...{ kind: 'switches', gateway: url, sdkToken, endpoints, flags: flagNames, isOn, signalsPerSecond },
          ...{ warmupSeconds: bench.seconds(warmupSeconds), seconds: bench.seconds(seconds) },
        });
        return percentile(delays, 99);
      } finally {
        await deleteSets();
      }
    });
    const remark = `${signalsPerSecond} signals/s over ${endpoints.length} endpoints, seen by an SDK that streams`;
    return [atMost(1_000, runs, { row: '18', what: 'signal answered -> flag switched', unit: 'ms, p99', remark })];
  },
};
