// Proves how outcomes are listed: pages, pieces, and what they cost when there are many.
import { describe, expect, it } from 'vitest';
import { runningDeliveries } from '../testing/running-deliveries.ts';

const run = runningDeliveries();

describe('outcomes', () => {
  it('are listed newest first, by limit and offset', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record(...Array.from({ length: 7 }, () => ({})));
    await service.processAll();
    const ids = async (page: object) => (await run.rig.outcomes(id, page)).map(({ event }) => event.id);
    expect(await ids({})).toEqual([7, 6, 5, 4, 3, 2, 1]);
    expect(await ids({ limit: 3 })).toEqual([7, 6, 5]);
    expect(await ids({ limit: 3, offset: 5 })).toEqual([2, 1]);
    expect(await ids({ offset: 7 })).toEqual([]);
    expect(await ids({ offset: Number.MAX_SAFE_INTEGER })).toEqual([]);
  });

  it('that are large travel in pieces that fit', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    const large = () => ({ data: { text: '"'.repeat(100_000) } });
    await run.rig.record(large(), {}, large(), {}, {}, large());
    await service.processAll();
    const pieces = await run.rig.pieces(id);
    expect(pieces.flat().map(({ event }) => event.id)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(pieces.length).toBeGreaterThan(2);
  });

  it('go with their integration', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint();
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({});
    await service.processAll();
    await run.rig.db.kysely.deleteFrom('integrations').where('id', '=', id).execute();
    expect([await run.deliveries(), await run.attempts()]).toEqual([[], []]);
    expect(await run.rig.db.kysely.selectFrom('outcomes').selectAll().execute()).toEqual([]);
  });
});
