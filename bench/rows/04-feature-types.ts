import type { Row } from '../row.ts';
import { measureRead } from './reads.ts';

export const featureTypes: Row = {
  number: '4',
  title: 'feature types with an admin token',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const { url, adminToken } = yardarm;
    const request = { url: `${url}/api/admin/feature-types`, headers: { authorization: adminToken } };
    return [
      await measureRead(bench, yardarm, { row: '4', what: 'feature types', goal: 0.5, request, bare: 'express' }),
    ];
  },
};
