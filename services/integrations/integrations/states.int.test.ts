// Proves what the states of integrations say of circuits, of what waits and of outcomes, and what reading them costs.
import * as contracts from '@yardarm/shared/contracts/integrations';
import { sql } from '@yardarm/shared/db';
import { describe, expect, it } from 'vitest';
import { context } from '../testing/integrations-rig.ts';
import { runningDeliveries, status } from '../testing/running-deliveries.ts';
import { listIntegrationStates } from './list-states.ts';
import { statesStatement } from './states.repo.ts';

const run = runningDeliveries();

const listStates = async () => (await run.rig.bus.request(contracts.listIntegrationStates, {}, context())).states;

describe('the state of an integration', () => {
  it('that has sent nothing has no outcome, and nothing waits', async () => {
    await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example' });
    expect(await listStates()).toEqual([
      {
        integrationId: id,
        circuit: 'closed',
        failures: 0,
        failingSince: null,
        pausedUntil: null,
        waiting: 0,
        nextAttemptAt: null,
        lastOutcome: null,
      },
    ]);
  });

  it('has the newest outcome, what waits and the next attempt', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    const { id } = await run.rig.create({ url: endpoint.url });
    await run.rig.record({}, {});
    await service.processAll();
    const [newest] = await run.rig.outcomes(id);
    const [state] = await listStates();
    expect(state).toMatchObject({ circuit: 'closed', failures: 2, waiting: 2 });
    expect(state!.lastOutcome).toEqual({ id: newest!.id, state: 'failed', createdAt: newest!.createdAt });
    const first = await run.rig.db.kysely
      .selectFrom('deliveries')
      .select('next_attempt_at')
      .orderBy('next_attempt_at')
      .executeTakeFirstOrThrow();
    expect(state!.nextAttemptAt).toBe(first.next_attempt_at.toISOString());
  });

  it('of an open circuit sends nothing before the pause ends, and is half-open then', async () => {
    const service = await run.rig.start();
    const endpoint = await run.startEndpoint(status(500));
    await run.rig.create({ url: endpoint.url });
    await run.rig.record(...Array.from({ length: 9 }, () => ({})));
    await service.processAll();
    const [state] = await listStates();
    expect(state).toMatchObject({ circuit: 'open', failures: 9, waiting: 9 });
    expect(state!.failingSince).not.toBeNull();
    expect(state!.nextAttemptAt).toBe(state!.pausedUntil);
    await run.rig.stop(service);
    await run.rig.passPause();
    // No service runs that would send the probe.
    const { states } = await listIntegrationStates(run.rig);
    expect(states).toMatchObject([{ circuit: 'half-open', failures: 9 }]);
  });

  it('leaves out what is deleted', async () => {
    await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example' });
    await run.rig.bus.request(contracts.deleteIntegration, { id }, context());
    expect(await listStates()).toEqual([]);
  });

  it('counts ten thousand of what waits at most, and reads only indexes of deliveries', async () => {
    await run.rig.start();
    const { id } = await run.rig.create({ url: 'https://hooks.example', enabled: false });
    const { kysely } = run.rig.db;
    await sql`insert into handled_events (id, event) select n, '{}' from generate_series(1, 30_000) n`.execute(kysely);
    await sql`
      insert into deliveries (integration_id, event_id) select ${id}, n from generate_series(1, 30_000) n`.execute(
      kysely,
    );
    await sql`analyze deliveries`.execute(kysely);
    expect((await listStates())[0]!.waiting).toBe(contracts.maxCounted);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (analyze, timing off, costs off, summary off) ${statesStatement}`.execute(kysely);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toContain('Seq Scan on deliveries');
    const read = [...plan.matchAll(/actual rows=(\d+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...read)).toBeLessThanOrEqual(contracts.maxCounted);
  });
});
