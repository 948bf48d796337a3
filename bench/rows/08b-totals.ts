import { atMost, type Line, repeated } from '../measurement.ts';
import type { Row } from '../row.ts';
import { commonWord, logSize, seededFlag, seededProjects, seededTypes } from '../system/log.ts';
import { type Search, searchP99 } from './searches.ts';

const searchesPerRun = 1_000;
const warmup = 50;

/** Pages of one event, since the row measures the total. */
const limit = 1;

const single: Search[] = [
  ...seededTypes.map((type) => ({ type, limit })),
  ...seededProjects.map((project) => ({ project, limit })),
  ...Array.from({ length: 20 }, (_, n) => ({ feature: seededFlag(n * 11), limit })),
];

/** Distinct pairs of a type and a project, also with a word that a third of all events contain. */
const combined: Search[] = seededTypes.flatMap((type) =>
  seededProjects.flatMap((project): Search[] => [
    { type, project, limit },
    { type, project, query: commonWord, limit },
  ]),
);

export const totals: Row = {
  number: '8b',
  title: 'exact totals of a search over 1,000,000 events',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('events');
    const remark = `${await logSize(yardarm)} events`;
    const lines: Line[] = [];
    const count = bench.amount(searchesPerRun);
    const one = await repeated(bench.runs, () => searchP99(yardarm, single, count, warmup));
    lines.push(atMost(25, one, { row: '8b', what: 'total of one filter', unit: 'ms, p99', remark }));

    // Only the first search of a combination counts, so each run has its own combinations and no warm-up.
    const share = Math.floor(combined.length / bench.runs);
    let run = 0;
    const several = await repeated(bench.runs, () => {
      const own = combined.filter((_, n) => n % bench.runs === run);
      run += 1;
      return searchP99(yardarm, own, Math.min(share, count * 10), 0);
    });
    lines.push(atMost(250, several, { row: '8b', what: 'total of several, first time', unit: 'ms, p99', remark }));
    return lines;
  },
};
