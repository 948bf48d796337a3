// The versions of flags, and the permissions that the paths of a patch need.
import type { Actor, Permission } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlagsRig, startOwnFlagsRig } from '../testing/flags-rig.ts';

const projectId = 'default';
const featureName = 'versioned';
const actorWith = (...permissions: Permission[]): Actor => ({
  ...{ kind: 'user', id: 21, username: 'pat', grants: [{ permissions, projects: [projectId] }] },
});

let rig: FlagsRig;
let version: number;

beforeAll(async () => {
  rig = await startOwnFlagsRig();
  ({ version } = await rig.ask(contracts.createFeature, { projectId, name: featureName }));
});
afterAll(() => rig?.stop());

type Input = Parameters<typeof contracts.patchFeature.input.parse>[0];
const get = () => rig.ask(contracts.getFeature, { projectId, featureName });
const patch = async (changes: Record<string, unknown>, more: { expectedVersions?: number[] } = {}, actor?: Actor) => {
  const operations = Object.entries(changes).map(([name, value]) => ({
    ...{ op: 'replace' as const, path: `/${name}`, value },
  }));
  const input = { projectId, featureName, operations, ...more } satisfies Input;
  const answer = await rig.ask(contracts.patchFeature, input, actor);
  version = answer.version;
  return answer;
};

describe('the version of a flag', () => {
  it('is 1 after its creation, rises with each change, and stays when nothing changes', async () => {
    expect(version).toBe(1);
    expect(await patch({ description: 'one', stale: true })).toMatchObject({ version: 2 });
    expect(await patch({ description: 'one' })).toMatchObject({ version: 2 });
    const place = { projectId, featureName, environment: 'development' };
    expect(await rig.ask(contracts.switchEnvironment, { ...place, enabled: true })).toMatchObject({ version: 3 });
    expect(await rig.ask(contracts.switchEnvironment, { ...place, enabled: true })).toMatchObject({ version: 3 });
    await rig.ask(contracts.addStrategy, { ...place, strategy: { name: 'default' } });
    expect(await get()).toMatchObject({ version: 4 });
    version = 4;
  });

  it('that a patch expects is required, and a patch of another changes nothing', async () => {
    const before = await get();
    await expect(patch({ description: 'other' }, { expectedVersions: [version - 1] })).rejects.toMatchObject({
      code: 'precondition-failed',
      message: `The feature "versioned" has the version ${version}, and the request expects ${version - 1}.`,
    });
    await expect(patch({ description: 'other' }, { expectedVersions: [] })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
    expect(await get()).toEqual(before);
    const answer = await patch({ description: 'other' }, { expectedVersions: [1, version] });
    expect(answer).toMatchObject({ description: 'other', version: before.version + 1 });
  });

  it('lets one of many patches that expect it succeed', async () => {
    const before = version;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        patch({ description: `racer ${index}` }, { expectedVersions: [before] }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = results.flatMap((result) => (result.status === 'rejected' ? result.reason.code : []));
    expect(new Set(codes)).toEqual(new Set(['precondition-failed']));
    expect(await get()).toMatchObject({ version: before + 1 });
  });
});

describe('a patch', () => {
  it('needs the permission of each path that it changes, and no other', async () => {
    const updater = actorWith('UPDATE_FEATURE');
    const archiver = actorWith('DELETE_FEATURE');
    const refusal = (permission: Permission) => ({
      code: 'no-access',
      message: expect.stringContaining(`"${permission}"`),
    });
    await expect(patch({ archived: true }, {}, updater)).rejects.toMatchObject(refusal('DELETE_FEATURE'));
    await expect(patch({ stale: false }, {}, archiver)).rejects.toMatchObject(refusal('UPDATE_FEATURE'));
    await expect(patch({ stale: false, archived: true }, {}, archiver)).rejects.toMatchObject(
      refusal('UPDATE_FEATURE'),
    );
    expect(await patch({ stale: true, archived: true }, {}, archiver)).toMatchObject({ archived: true });
    await expect(patch({ archived: false }, {}, archiver)).rejects.toMatchObject(refusal('UPDATE_FEATURE'));
    expect(await patch({ archived: false }, {}, updater)).toMatchObject({ archived: false });
  });

  it('is refused without any permission of its paths', async () => {
    await expect(patch({}, {}, actorWith('UPDATE_FEATURE_ENVIRONMENT'))).rejects.toMatchObject({
      code: 'no-access',
      message: 'You need one of the permissions "UPDATE_FEATURE", "DELETE_FEATURE" to perform this action.',
    });
  });
});
