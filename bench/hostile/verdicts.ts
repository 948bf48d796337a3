import { percentile } from '../measurement.ts';
import type { Seen } from './callers.ts';

/** From the goals. */
const maxGrowthMegabytes = 100;
const maxRatio = 5;
const maxDelayMs = 100;
/** After the minute that follows an attack, of the memory before it. */
const maxRemainingGrowth = 0.1;

export interface Verdict {
  text: string;
  holds: boolean;
}

/** Memory of the gateway in MB before an attack and some time after it. */
export interface Memory {
  before: number;
  after: number;
}

/** What an attack cost the others, each against its goal. */
export function verdictsOf(alone: Seen, beside: Seen, { before, after }: Memory): Verdict[] {
  const growth = beside.maxMegabytes - before;
  const failures = [...beside.failures].map(([text, count]) => `${count} x ${text}`);
  return [
    ratio("an SDK's polls", alone.polls, beside.polls),
    ratio('a change on its way to an SDK that streams', alone.arrivals, beside.arrivals),
    delay('the answer to a change', alone.changes, beside.changes),
    delay('an answer on a new connection', alone.connections, beside.connections),
    {
      text: `requests of others that failed: ${failures.length === 0 ? 'none' : failures.join('; ')}`,
      holds: failures.length === 0,
    },
    {
      text: `memory of the gateway: ${before.toFixed(0)} MB before, at most ${beside.maxMegabytes.toFixed(0)} MB during it: ${growth.toFixed(0)} MB more, goal <= ${maxGrowthMegabytes}`,
      holds: growth <= maxGrowthMegabytes,
    },
    {
      text: `memory of the gateway after it: ${after.toFixed(0)} MB, goal <= ${(before * (1 + maxRemainingGrowth)).toFixed(0)}`,
      holds: after <= before * (1 + maxRemainingGrowth),
    },
  ];
}

function ratio(what: string, alone: readonly number[], beside: readonly number[]): Verdict {
  const [before, during] = [p99(alone), p99(beside)];
  return {
    text: `p99 of ${what}: ${during.toFixed(1)} ms, ${before.toFixed(1)} ms alone: ${(during / before).toFixed(1)} times, goal <= ${maxRatio}`,
    holds: during / before <= maxRatio,
  };
}

function delay(what: string, alone: readonly number[], beside: readonly number[]): Verdict {
  const [before, during] = [p99(alone), p99(beside)];
  return {
    text: `p99 of ${what}: ${during.toFixed(1)} ms, ${before.toFixed(1)} ms alone, goal <= ${maxDelayMs} ms more`,
    holds: during - before <= maxDelayMs,
  };
}

const p99 = (values: readonly number[]) => (values.length === 0 ? Number.NaN : percentile(values, 99));
