// The names that SDKs choose are bounded.
import * as contracts from '@yardarm/shared/contracts/flags';
import { sql } from '@yardarm/shared/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';
import { usageInstance, usageReports, usageRow } from '../testing/usage-reports.ts';
import { insertApplications } from './new-applications.repo.ts';
import { insertSdks } from './reported.repo.ts';
import { usageBounds } from './usage.ts';

let rig: FlagsRig;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
});
afterAll(() => rig?.stop());

const { report, stored } = usageReports(() => rig);

describe('the names that reports may make are bounded', () => {
  const names = (prefix: string, length: number) => Array.from({ length }, (_, index) => `${prefix}-${index}`);

  it('unknown flags per environment', async () => {
    const sent = (prefix: string) => names(prefix, usageBounds.unknownFlags).map((name) => usageRow(name));
    await Promise.all([report(sent('a')), report(sent('b'))]);
    await report([usageRow('elsewhere', { environment: 'production' })]);
    const { rows } = await sql<{ environment: string; count: number }>`
      select environment, count(*)::integer as count from unknown_flags group by environment order by environment
    `.execute(rig.db.kysely);
    expect(rows).toEqual([
      { environment: 'development', count: usageBounds.unknownFlags },
      { environment: 'production', count: 1 },
    ]);
  });

  it('applications, SDK versions and instances, and a known one still counts', async () => {
    const few = { ...usageBounds, applications: 0, sdks: 2, instances: 0, unknownFlags: 0 };
    await report([], [usageInstance({ sdkVersion: null })]);
    await rig.db
      .transaction(async (trx) => {
        const reporters = new Map([['development', { tokenId: null, isFrontend: false }]]);
        const both = ['shop', 'one-more'].map((name) => ({ name, reporters, registration: null }));
        expect(await insertApplications(trx, both, few)).toEqual({
          inserted: new Map(),
          excess: new Set(['one-more']),
        });
        const sdks = names('sdk', 5).map((sdkVersion) => ({ application: 'shop', sdkVersion }));
        await trx.deleteFrom('application_sdks').execute();
        expect(await insertSdks(trx, sdks, few)).toHaveLength(2);
        expect(await insertSdks(trx, sdks, few)).toEqual([]);
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
    const many = Array.from({ length: 11 }, (_, part) =>
      names(`i${part}`, 1_000).map((instanceId) => usageInstance({ instanceId, sdkVersion: null })),
    );
    for (const instances of many) await report([], instances);
    const inDevelopment = rig.db.kysely.selectFrom('application_instances').where('environment', '=', 'development');
    expect(await inDevelopment.select('instance_id').execute()).toHaveLength(usageBounds.instances);
    await report([], [usageInstance({ sdkVersion: 'later:1.0.0' })]);
    const known = inDevelopment.where('instance_id', '=', 'shop-1').where('application', '=', 'shop');
    expect(await known.select('sdk_version').execute()).toEqual([{ sdk_version: 'later:1.0.0' }]);
  });

  it('the counts of an application beyond the bound of its environment are in the totals of the flag', async () => {
    await rig.ask(contracts.createFeature, { projectId: 'default', name: 'bounded' });
    await report([usageRow('bounded', { application: 'of-production', environment: 'production' })]);
    const invented = names('app', usageBounds.applications).map((application) => usageRow('bounded', { application }));
    for (let at = 0; at < invented.length; at += 1_000) await report(invented.slice(at, at + 1_000));
    // `shop` has a place of development.
    const made = rig.db.kysely.selectFrom('applications').where('environment', '=', 'development').select('name');
    expect(await made.execute()).toHaveLength(usageBounds.applications);
    const late = ['late-one', 'late-two'].map((application) => usageRow('bounded', { application }));
    expect(await report(late)).toEqual({ excessApplications: 2 });
    const counts = await stored('bounded');
    expect(counts.reduce((sum, { yes }) => sum + yes, 0)).toBe(3 * (1 + invented.length + late.length));
    expect(counts.map(({ application }) => application)).toContain('other-applications');
  });

  it('an application finds room in an environment while another one has none', async () => {
    const of = async (application: string) => {
      const counts = await stored('bounded');
      return counts.filter((one) => one.application === application).map(({ environment }) => environment);
    };
    const inProduction = { environment: 'production' };
    expect(await report([usageRow('bounded', { application: 'new', ...inProduction })])).toEqual({
      excessApplications: 0,
    });
    expect(await of('new')).toEqual(['production']);
    // Development has no room, and each of these exists through production or comes to exist by the same report.
    const both = ['new', 'of-production', 'newer'].map((application) => usageRow('bounded', { application }));
    const newer = usageRow('bounded', { application: 'newer', ...inProduction });
    expect(await report([...both, newer])).toEqual({ excessApplications: 0 });
    for (const { application } of both) expect(await of(application)).toEqual(['development', 'production']);
    // An unknown environment has no room to give.
    await report([usageRow('bounded', { application: 'newest', environment: 'nowhere' })]);
    const newest = rig.db.kysely.selectFrom('applications').where('name', '=', 'newest').select('name');
    expect(await newest.execute()).toEqual([]);
  });

  it('reports at the last place of an environment make one application together', async () => {
    await rig.db.kysely.deleteFrom('applications').where('name', '=', 'app-1').execute();
    const racing = names('racing', 10).map((application) => report([usageRow('bounded', { application })]));
    const excess = (await Promise.all(racing)).map(({ excessApplications }) => excessApplications);
    expect(excess.toSorted()).toEqual([0, ...Array.from({ length: 9 }, () => 1)]);
  });

  it('an application that an administrator makes during its report is counted under its name', async () => {
    for (const application of names('at-once', 20)) {
      const reported = report([usageRow('bounded', { application, environment: 'production' })]);
      const described = rig.ask(contracts.describeApplication, { appName: application });
      expect(await Promise.all([reported, described])).toMatchObject([{ excessApplications: 0 }, {}]);
    }
  });
});
