import { atMost, type Line, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { commonWord, logSize, rareWord, seededFlag, seededProjects, seededTypes } from '../system/log.ts';
import { type Search, searchP99 } from './searches.ts';

/** Ten of a thousand searches are slower than the p99, so that a single outlier does not decide it. */
const searchesPerRun = 1_000;
/** More than the number of searches of each kind. */
const warmup = 50;

const flags = Array.from({ length: 20 }, (_, n) => seededFlag(n * 7));

export const search: Row = {
  number: '8',
  title: 'pages of a search over 1,000,000 events',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('events');
    const size = await logSize(yardarm);
    // A page has a hundred events, which is the maximum and the default.
    const deep = Array.from({ length: 20 }, (_, n) => ({ offset: Math.ceil((size * (n + 1)) / 40) }));
    const kinds: [string, Search[]][] = [
      ['by type', seededTypes.map((type) => ({ type }))],
      ['by project', seededProjects.map((project) => ({ project }))],
      ['by flag', flags.map((feature) => ({ feature }))],
      ['by a rare word', [{ query: rareWord }]],
      ['by a common word', [{ query: commonWord }]],
      ['from a deep id', deep],
      ['by type from a deep id', deep.map(({ offset }, n) => ({ offset, type: seededTypes[n % seededTypes.length]! }))],
    ];
    const lines: Line[] = [];
    for (const [kind, searches] of kinds) {
      const runs = await repeated(bench.runs, () => searchP99(yardarm, searches, bench.amount(searchesPerRun), warmup));
      lines.push(atMost(25, runs, { row: '8', what: `search ${kind}`, unit: 'ms, p99', remark: `${size} events` }));
    }
    return lines;
  },
};
