import type { Row } from '../row.ts';
import { measureRead } from './reads.ts';

export const notModified: Row = {
  number: '2',
  title: 'the listing of 1,000 flags, 304',
  async measure(bench) {
    const yardarm = await bench.stage.yardarm('flags');
    const { url: address, sdkToken: authorization } = yardarm;
    const url = `${address}/api/client/features`;
    const listing = await fetch(url, { headers: { authorization } });
    await listing.arrayBuffer();
    const etag = listing.headers.get('etag');
    if (etag === null) throw new Error('the listing has no ETag');
    const request = { url, headers: { authorization, 'if-none-match': etag } };
    return [
      await measureRead(bench, yardarm, { row: '2', what: 'listing, 304', goal: 0.7, request, bare: 'node:http' }),
    ];
  },
};
