import type { Row } from '../row.ts';
import { flagNames } from '../system/flags.ts';
import { measureRead } from './reads.ts';

export const oneFlag: Row = {
  number: '3',
  title: 'one flag for an SDK',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const { url, sdkToken } = yardarm;
    const request = { url: `${url}/api/client/features/${flagNames[500]}`, headers: { authorization: sdkToken } };
    return [await measureRead(bench, yardarm, { row: '3', what: 'one flag', goal: 0.7, request, bare: 'express' })];
  },
};
