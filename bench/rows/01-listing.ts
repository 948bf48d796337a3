import type { Row } from '../row.ts';
import { measureRead } from './reads.ts';

export const listing: Row = {
  number: '1',
  title: 'the listing of 1,000 flags, 200',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const { url, sdkToken } = yardarm;
    const request = { url: `${url}/api/client/features`, headers: { authorization: sdkToken } };
    return [await measureRead(bench, yardarm, { row: '1', what: 'listing, 200', goal: 0.9, request, bare: 'express' })];
  },
};
