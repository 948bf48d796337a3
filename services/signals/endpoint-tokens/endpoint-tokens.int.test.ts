// Tests tokens of signal endpoints over a real bus and Postgres: their secrets, limits, events, hints and races.
import { isSameHash, makeToken, readToken } from '@yardarm/shared/auth';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/signals';
import { eventually } from '@yardarm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { admin, race, type SignalsRig, startSignalsRig } from '../testing/signals-rig.ts';

let rig: SignalsRig;

beforeAll(async () => {
  rig = await startSignalsRig();
});

beforeEach(async () => {
  await rig.rows('truncate signals.signal_endpoints, signals.outbox cascade');
  rig.hints.tokenChanged.length = 0;
});

afterAll(() => rig?.stop());

const listed = async (signalEndpointId: number) =>
  (await rig.ask(contracts.listSignalEndpointTokens, { signalEndpointId })).signalEndpointTokens;
const rename = (signalEndpointId: number, id: number, name: string) =>
  rig.ask(contracts.updateSignalEndpointToken, { signalEndpointId, id, name });
const remove = (signalEndpointId: number, id: number) =>
  rig.ask(contracts.deleteSignalEndpointToken, { signalEndpointId, id });

describe('tokens of signal endpoints', () => {
  it('show their secret once and identify the sender', async () => {
    const endpoint = await rig.createEndpoint('alerts');
    const { token: secret, ...token } = await rig.createToken(endpoint.id, 'grafana');
    expect(secret).toMatch(/^signal_yd_/);
    expect(await listed(endpoint.id)).toEqual([token]);
    const { signalEndpoints } = await rig.ask(contracts.listSignalEndpoints, {});
    expect(signalEndpoints[0]?.tokens).toEqual([token]);
    expect((await rig.events('signal-endpoint-token-created'))[0]?.data).toEqual(token);

    const { selector, hash } = readToken(secret!)!;
    const find = (by: string) => rig.ask(contracts.findSignalToken, { selector: by }, null);
    const found = await find(selector);
    expect(found.token).toMatchObject({ id: token.id, endpoint: { id: endpoint.id, name: 'alerts', enabled: true } });
    expect(isSameHash(found.token!.hash, hash)).toBe(true);
    for (const unknown of ['unknown', '']) expect(await find(unknown)).toEqual({ token: null });
    const selectors = ['unknown', '', "' or 1=1 --", selector, makeToken('signal_').selector];
    const { existing } = await rig.ask(contracts.findExistingSignalSelectors, { selectors }, null);
    expect(existing).toEqual([selector]);
  });

  it('are limited to five per endpoint under concurrent creations', async () => {
    const { id } = await rig.createEndpoint('full');
    expect(await race((racer) => rig.createToken(id, `token-${racer}`))).toEqual({
      ...{ won: 5, codes: ['limit-exceeded'] },
    });
    expect(await listed(id)).toHaveLength(5);
    expect((await rig.createToken((await rig.createEndpoint('empty')).id, 'first')).name).toBe('first');
  });

  it('leave one place for two administrators at the fifth, and the place of a deleted one for the next', async () => {
    const { id } = await rig.createEndpoint('full');
    const [first] = await Promise.all(['one', 'two', 'three', 'four'].map((name) => rig.createToken(id, name)));
    const both = await Promise.allSettled([rig.createToken(id, 'five'), rig.createToken(id, 'six')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await remove(id, first!.id);
    await rig.createToken(id, 'seven');
    await expect(rig.createToken(id, 'eight')).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('have unique names within an endpoint: of twenty concurrent creations one succeeds', async () => {
    const { id } = await rig.createEndpoint('named');
    expect(await race(() => rig.createToken(id, 'same'))).toEqual({ won: 1, codes: ['name-exists'] });
  });

  it('are renamed with an event, and one that keeps its name has none', async () => {
    const { id } = await rig.createEndpoint('alerts');
    const { token: _, ...before } = await rig.createToken(id, 'grafana');
    const after = await rename(id, before.id, 'grafana cloud');
    expect(after).toEqual({ ...before, name: 'grafana cloud' });
    expect(await rename(id, before.id, 'grafana cloud')).toEqual(after);
    expect(await listed(id)).toEqual([after]);
    const events = await rig.events('signal-endpoint-token-updated');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ createdBy: 'root', data: after, preData: before });
  });

  it('cannot be renamed to the name of another: of twenty that race for a name one gets it', async () => {
    const { id } = await rig.createEndpoint('alerts');
    const tokens = await Promise.all(['a', 'b', 'c', 'd'].map((name) => rig.createToken(id, name)));
    // The winner's five repetitions change nothing.
    expect(await race((racer) => rename(id, tokens[racer % 4]!.id, 'wanted'))).toEqual({
      ...{ won: 5, codes: ['name-exists'] },
    });
    expect(await rig.events('signal-endpoint-token-updated')).toHaveLength(1);
    const [elsewhere] = [await rig.createEndpoint('elsewhere')];
    const other = await rig.createToken(elsewhere.id, 'x');
    expect(await rename(elsewhere.id, other.id, 'wanted')).toMatchObject({ name: 'wanted' });
  });

  it('are deleted with an event and a hint, once of twenty that race', async () => {
    const { id } = await rig.createEndpoint('alerts');
    const { token: secret, ...token } = await rig.createToken(id, 'grafana');
    expect(await race(() => remove(id, token.id))).toEqual({ won: 1, codes: ['not-found'] });
    expect(await listed(id)).toEqual([]);
    const events = await rig.events('signal-endpoint-token-deleted');
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ createdBy: 'root', data: null, preData: token });
    const { selector } = readToken(secret!)!;
    await eventually(() => expect(rig.hints.tokenChanged).toEqual([selector]));
    expect(await rig.ask(contracts.findSignalToken, { selector }, null)).toEqual({ token: null });
  });

  it('are not found at another endpoint', async () => {
    const { id } = await rig.createEndpoint('alerts');
    const other = await rig.createEndpoint('other');
    const token = await rig.createToken(id, 'grafana');
    const notFound = {
      code: 'not-found',
      message: `Could not find the signal endpoint token with ID "${token.id}" of the signal endpoint with ID "${other.id}".`,
    };
    await expect(rename(other.id, token.id, 'x')).rejects.toMatchObject(notFound);
    await expect(remove(other.id, token.id)).rejects.toMatchObject(notFound);
    expect(await listed(id)).toHaveLength(1);
  });

  it.each([0, -1, 987_654, 3_000_000_000_000])('of the unknown endpoint %i are not found', async (id) => {
    const notFound = { code: 'not-found', message: `Could not find the signal endpoint with ID "${id}".` };
    await expect(rig.createToken(id, 'x')).rejects.toMatchObject(notFound);
    await expect(rename(id, 1, 'x')).rejects.toMatchObject(notFound);
    await expect(remove(id, 1)).rejects.toMatchObject(notFound);
    await expect(listed(id)).rejects.toMatchObject(notFound);
  });

  it('require the permission ADMIN', async () => {
    const without: Actor = { ...admin, grants: [] };
    const { id: signalEndpointId } = await rig.createEndpoint('guarded');
    const { id } = await rig.createToken(signalEndpointId, 'kept');
    const refused = { code: 'no-access', message: expect.stringContaining('"ADMIN"') };
    const renaming = rig.ask(contracts.updateSignalEndpointToken, { signalEndpointId, id, name: 'x' }, without);
    await expect(renaming).rejects.toMatchObject(refused);
    const deletion = rig.ask(contracts.deleteSignalEndpointToken, { signalEndpointId, id }, without);
    await expect(deletion).rejects.toMatchObject(refused);
    expect(await listed(signalEndpointId)).toMatchObject([{ name: 'kept' }]);
  });
});
