// What reports of usage store of applications and instances, with their events.
import { describeApplication } from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagCalls } from '../testing/flag-calls.ts';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { usageInstance, usageReports, usageRow } from '../testing/usage-reports.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { newFlag } = flagCalls(() => rig);
const { report } = usageReports(() => rig);

async function eventsOf(application: string) {
  const events = await rig.events();
  const ofApplication = events.filter(({ data }) => (data as { appName?: string } | null)?.appName === application);
  return ofApplication.map(({ type, data }) => ({ type, data }));
}

describe('an application', () => {
  it.each(['javascript:alert(1)', 'data:text/html,<script>', 'JavaScript:x'])('has not the address %s', async (url) => {
    for (const address of [{ url }, { icon: url }]) {
      const described = rig.ask(describeApplication, { appName: 'linked', ...address });
      await expect(described).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining('runs no code'),
      });
    }
  });

  it('is made by its first report, with one event, and one more for each SDK version', async () => {
    const name = await newFlag();
    const registered = { strategies: ['default', 'byRegion'], started: '2026-01-01T00:00:00.000Z', interval: 60 };
    const of = { application: 'orders' };
    await report([usageRow(name, of)]);
    await Promise.all(
      [1, 2, 3].map((n) => report([], [usageInstance({ ...of, ...registered, instanceId: `o-${n}` })])),
    );
    await report(
      [usageRow(name, of)],
      [usageInstance({ ...of, instanceId: 'o-4', sdkVersion: 'unleash-client-go:5.0.0' })],
    );
    expect(await eventsOf('orders')).toEqual([
      {
        type: 'application-created',
        data: {
          ...{ appName: 'orders', createdBy: 'yardarm-system', strategies: [], description: null },
          ...{ url: null, color: null, icon: null },
        },
      },
      {
        type: 'client-register',
        data: {
          ...{ appName: 'orders', instanceId: expect.stringMatching(/^o-[123]$/) },
          ...{ sdkVersion: 'unleash-client-node:6.12.1', ...registered },
        },
      },
      {
        type: 'client-register',
        data: {
          ...{ appName: 'orders', instanceId: 'o-4', sdkVersion: 'unleash-client-go:5.0.0' },
          ...{ strategies: [], started: null, interval: null },
        },
      },
    ]);
  });

  it('emits nothing for a report without a new name', async () => {
    const name = await newFlag();
    await report([usageRow(name)], [usageInstance()]);
    const before = await rig.events();
    await report([usageRow(name)], [usageInstance({ instanceId: 'shop-2', environment: 'production' })]);
    expect(await rig.events()).toEqual(before);
  });

  it('keeps its strategies when an instance registers without them', async () => {
    const of = { application: 'silent', started: '2026-01-01T00:00:00.000Z' };
    const strategies = async () => {
      const found = rig.db.kysely.selectFrom('applications').select('strategies').where('name', '=', 'silent');
      return (await found.executeTakeFirstOrThrow()).strategies;
    };
    await report([], [usageInstance({ ...of, strategies: ['default', 'byRegion'] })]);
    await report([], [usageInstance(of)]);
    expect(await strategies()).toEqual(['default', 'byRegion']);
    await report([], [usageInstance({ ...of, strategies: [] })]);
    expect(await strategies()).toEqual([]);
  });

  it('keeps what an instance has said when the instance reports less', async () => {
    await report([], [usageInstance({ application: 'quiet', sdkVersion: 'a:1.0.0' })]);
    await report([], [usageInstance({ application: 'quiet', sdkVersion: null, sdkType: null, address: null })]);
    const instances = rig.db.kysely.selectFrom('application_instances').selectAll();
    expect(await instances.where('application', '=', 'quiet').execute()).toMatchObject([
      { sdk_version: 'a:1.0.0', sdk_type: 'backend', address: '192.0.2.1' },
    ]);
  });
});
