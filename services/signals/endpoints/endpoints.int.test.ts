// Tests signal endpoints over a real bus and Postgres: their limits, events, hints and races.
import { pieceLimits } from '@yardarm/shared/bus';
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
  rig.hints.endpointChanged.length = 0;
  rig.hints.tokenChanged.length = 0;
});

afterAll(() => rig?.stop());

const listed = async () => (await rig.ask(contracts.listSignalEndpoints, {})).signalEndpoints;
const dataOf = ({ tokens: _, ...data }: contracts.SignalEndpoint) => data;
const put = (id: number, name: string, over: { description?: string; ratePerSecond?: number | null } = {}) =>
  rig.ask(contracts.updateSignalEndpoint, { id, name, ...over });

describe('signal endpoints', () => {
  it('are created, listed and emitted as an event', async () => {
    const made = await rig.createEndpoint('cpu-over-90', { enabled: false, description: 'Alerts', ratePerSecond: 20 });
    expect(made).toEqual({
      ...{ id: expect.any(Number), name: 'cpu-over-90', enabled: false, description: 'Alerts', ratePerSecond: 20 },
      ...{ createdAt: expect.any(String), createdByUserId: -42, tokens: [] },
    });
    const plain = await rig.createEndpoint('plain');
    expect(plain).toMatchObject({ enabled: true, description: null, ratePerSecond: null });
    expect(await listed()).toEqual([made, plain]);
    const [event] = await rig.events('signal-endpoint-created');
    expect(event).toMatchObject({ createdBy: 'root', data: dataOf(made), preData: null });
  });

  it('have unique names: of twenty concurrent creations one succeeds', async () => {
    expect(await race(() => rig.createEndpoint('same'))).toEqual({ won: 1, codes: ['name-exists'] });
    await expect(rig.createEndpoint('same')).rejects.toThrow(
      'There is already a signal endpoint with the name "same".',
    );
    expect(await rig.events('signal-endpoint-created')).toHaveLength(1);
  });

  it('are limited to five under concurrent creations', async () => {
    expect(await race((racer) => rig.createEndpoint(`endpoint-${racer}`))).toEqual({
      ...{ won: 5, codes: ['limit-exceeded'] },
    });
    expect(await rig.rows('select id from signals.signal_endpoints')).toHaveLength(5);
    await expect(rig.createEndpoint('sixth')).rejects.toThrow(/at most 5/);
  });

  it('leave one place for two administrators at the fifth, and the place of a deleted one for the next', async () => {
    const [first] = await Promise.all(['one', 'two', 'three', 'four'].map((name) => rig.createEndpoint(name)));
    const both = await Promise.allSettled([rig.createEndpoint('five'), rig.createEndpoint('six')]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await rig.ask(contracts.deleteSignalEndpoint, { id: first!.id });
    await rig.createEndpoint('seven');
    await expect(rig.createEndpoint('eight')).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it.each(['', 'a/b', 'a b', 'ü', '..', 'x'.repeat(101)])('cannot have the name %j', async (name) => {
    await expect(rig.createEndpoint(name)).rejects.toMatchObject({ code: 'validation' });
    await expect(put(1, name)).rejects.toMatchObject({ code: 'validation' });
  });

  it.each([0, -1, 1.5, 10_001])('cannot have the rate %d, and the error names it', async (ratePerSecond) => {
    await expect(rig.createEndpoint('rated', { ratePerSecond })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringMatching(new RegExp(`\\.ratePerSecond.*${ratePerSecond}`)),
    });
  });

  it('require the permission ADMIN', async () => {
    const without: Actor = { ...admin, grants: [] };
    const refused = { code: 'no-access', message: expect.stringContaining('"ADMIN"') };
    const { id } = await rig.createEndpoint('guarded');
    const { createSignalEndpoint, updateSignalEndpoint, switchSignalEndpoint, deleteSignalEndpoint } = contracts;
    await expect(rig.ask(createSignalEndpoint, { name: 'x' }, without)).rejects.toMatchObject(refused);
    await expect(rig.ask(updateSignalEndpoint, { id, name: 'x' }, without)).rejects.toMatchObject(refused);
    await expect(rig.ask(switchSignalEndpoint, { id, enabled: false }, without)).rejects.toMatchObject(refused);
    await expect(rig.ask(deleteSignalEndpoint, { id }, without)).rejects.toMatchObject(refused);
    expect(await listed()).toMatchObject([{ name: 'guarded', enabled: true }]);
  });
});

describe('a change of a signal endpoint', () => {
  it('replaces it as a whole, and has an event and a hint', async () => {
    const before = await rig.createEndpoint('old', { enabled: false, description: 'Alerts', ratePerSecond: 5 });
    const token = await rig.createToken(before.id, 'grafana');
    const { token: _, ...visible } = token;
    const after = await put(before.id, 'new');
    // What was not sent has the value of a new endpoint.
    const others = { enabled: true, description: null, ratePerSecond: null };
    expect(after).toEqual({ ...before, ...others, name: 'new', tokens: [visible] });
    expect(await listed()).toEqual([after]);
    const [event] = await rig.events('signal-endpoint-updated');
    expect(event).toMatchObject({ createdBy: 'root', data: dataOf(after), preData: dataOf(before) });
    await eventually(() => expect(rig.hints.endpointChanged).toEqual([before.id]));
    expect(await put(before.id, 'new', { ratePerSecond: 7 })).toMatchObject({ ratePerSecond: 7 });
  });

  it('that changes nothing has no event and no hint', async () => {
    const { id } = await rig.createEndpoint('same', { description: 'Alerts', ratePerSecond: 5 });
    await put(id, 'same', { description: 'Alerts', ratePerSecond: 5 });
    await rig.ask(contracts.switchSignalEndpoint, { id, enabled: true });
    expect(await rig.events('signal-endpoint-updated')).toEqual([]);
    await rig.ask(contracts.switchSignalEndpoint, { id, enabled: false });
    await eventually(() => expect(rig.hints.endpointChanged).toEqual([id]));
  });

  it('cannot take the name of another: of twenty that race for a name one gets it', async () => {
    const endpoints = await Promise.all(['a', 'b', 'c', 'd'].map((name) => rig.createEndpoint(name)));
    expect(await race((racer) => put(endpoints[racer % 4]!.id, 'wanted'))).toEqual({
      // The winner's five repetitions change nothing.
      ...{ won: 5, codes: ['name-exists'] },
    });
    expect(await rig.events('signal-endpoint-updated')).toHaveLength(1);
    const [other] = (await listed()).filter(({ name }) => name !== 'wanted');
    await expect(put(other!.id, 'wanted')).rejects.toThrow(
      'There is already a signal endpoint with the name "wanted".',
    );
  });

  it('by a switch keeps everything else, and twenty that race leave events that follow each other', async () => {
    const made = await rig.createEndpoint('switched', { description: 'Alerts', ratePerSecond: 5 });
    await race((racer) => rig.ask(contracts.switchSignalEndpoint, { id: made.id, enabled: racer % 2 === 0 }));
    const off = await rig.ask(contracts.switchSignalEndpoint, { id: made.id, enabled: false });
    expect(off).toEqual({ ...made, enabled: false });
    const events = await rig.events('signal-endpoint-created', 'signal-endpoint-updated');
    expect(events.slice(1).map(({ preData }) => preData)).toEqual(events.slice(0, -1).map(({ data }) => data));
  });
});

describe('the deletion of a signal endpoint', () => {
  it('deletes its tokens, with events and hints for each', async () => {
    const kept = await rig.createEndpoint('kept');
    const endpoint = await rig.createEndpoint('gone');
    const tokens = [await rig.createToken(endpoint.id, 'one'), await rig.createToken(endpoint.id, 'two')];
    const selectors = await rig.rows<{ selector: string }>('select selector from signals.signal_endpoint_tokens');
    await rig.ask(contracts.deleteSignalEndpoint, { id: endpoint.id });

    expect(await listed()).toEqual([kept]);
    expect(await rig.rows('select id from signals.signal_endpoint_tokens')).toEqual([]);
    const [event] = await rig.events('signal-endpoint-deleted');
    expect(event).toMatchObject({ createdBy: 'root', data: null, preData: dataOf(endpoint) });
    expect((await rig.events('signal-endpoint-token-deleted')).map(({ preData }) => preData)).toEqual(
      tokens.map(({ token: _, ...visible }) => visible),
    );
    await eventually(() => expect(rig.hints.endpointChanged).toEqual([endpoint.id]));
    await eventually(() =>
      expect(rig.hints.tokenChanged.toSorted()).toEqual(selectors.map(({ selector }) => selector).toSorted()),
    );
  });

  it('succeeds for one of twenty that race, and has one event', async () => {
    const { id } = await rig.createEndpoint('gone');
    expect(await race(() => rig.ask(contracts.deleteSignalEndpoint, { id }))).toEqual({
      ...{ won: 1, codes: ['not-found'] },
    });
    expect(await rig.events('signal-endpoint-deleted')).toHaveLength(1);
  });

  it('that races with new tokens leaves none, and every one has its events', async () => {
    const { id } = await rig.createEndpoint('gone');
    const result = await race((racer) =>
      racer === 2 ? rig.ask(contracts.deleteSignalEndpoint, { id }) : rig.createToken(id, `token-${racer}`),
    );
    expect(result.codes.filter((code) => !['not-found', 'limit-exceeded'].includes(code))).toEqual([]);
    expect(await rig.rows('select id from signals.signal_endpoint_tokens')).toEqual([]);
    const idsOf = async (type: string, data: 'data' | 'preData') =>
      (await rig.events(type)).map((event) => (event[data] as { id: number }).id);
    expect(await idsOf('signal-endpoint-token-deleted', 'preData')).toEqual(
      await idsOf('signal-endpoint-token-created', 'data'),
    );
  });

  it.each([0, -1, 987_654, 3_000_000_000_000])('or a change of the unknown one %i is not found', async (id) => {
    const notFound = { code: 'not-found', message: `Could not find the signal endpoint with ID "${id}".` };
    await expect(put(id, 'x')).rejects.toMatchObject(notFound);
    await expect(rig.ask(contracts.switchSignalEndpoint, { id, enabled: true })).rejects.toMatchObject(notFound);
    await expect(rig.ask(contracts.deleteSignalEndpoint, { id })).rejects.toMatchObject(notFound);
  });
});

describe('a long list of signal endpoints', () => {
  it('comes in pieces, each endpoint once with its tokens, the largest ones included', async () => {
    // A control character has six bytes in JSON, the most that one letter takes.
    await rig.rows(`insert into signals.signal_endpoints (name, enabled, created_by_user_id)
      select 'endpoint-' || n, true, 1 from generate_series(1, 40) as n`);
    await rig.rows(`insert into signals.signal_endpoint_tokens (endpoint_id, name, selector, hash, created_by_user_id)
      select e.id, repeat(chr(1), 250) || n, e.id || '-' || n, 'hash', 1
      from signals.signal_endpoints e,
        generate_series(1, case when e.name = 'endpoint-7' then ${contracts.maxTokensPerEndpoint} else 5 end) as n`);
    const { signalEndpoints: all } = await rig.ask(contracts.listSignalEndpoints, {});
    expect(JSON.stringify(all).length).toBeGreaterThan(2 * pieceLimits.bytes);
    expect(all.map(({ name }) => name)).toEqual(Array.from({ length: 40 }, (_, n) => `endpoint-${n + 1}`));
    expect(all.map(({ tokens }) => tokens.length)).toEqual(
      all.map(({ name }) => (name === 'endpoint-7' ? contracts.maxTokensPerEndpoint : 5)),
    );
    const largest = all.find(({ name }) => name === 'endpoint-7')!;
    const switched = await rig.ask(contracts.switchSignalEndpoint, { id: largest.id, enabled: false });
    expect(switched).toEqual({ ...largest, enabled: false });
  });
});
