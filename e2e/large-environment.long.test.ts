// A gateway loads an environment that is far above the bound of bytes, also when a transfer breaks off.
import { type Bus, connectBus } from '@yardarm/shared/bus';
import { fetchSnapshot } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { eventually, insertLargeFlags, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** 60 MB beside the default bound of 40 MB. */
const count = 150;
/** Three transfers of 60 MB take some seconds, on a busy machine half a minute. */
const limitMs = 90_000;
let system: TestSystem;
/** How many parts of an answer reach the next gateway before the connection breaks, for each try. */
let breakAfter: number[] = [];
let transfers = 0;
/** A gateway that starts beside the environment. */
let url: string;

beforeAll(async () => {
  system = await startSystem();
  const flags = { project: 'large', environment: 'development', count, bytes: 400_000 };
  await insertLargeFlags(system.database, flags);
});
afterAll(() => system?.stop());

const addGateway = () => system.addGateway({ connectBus: connectBreakingBus }, {}, limitMs);

/** A connection that breaks within the transfers of the environment as `breakAfter` says. */
async function connectBreakingBus(options: Parameters<typeof connectBus>[0]): Promise<Bus> {
  const bus = await connectBus(options);
  const breaking: Partial<Bus> = {
    async *requestParts(contract, ...rest) {
      const { environment } = rest[0] as { environment?: string };
      const isLarge = contract.name === fetchSnapshot.name && environment === 'development';
      if (isLarge) transfers += 1;
      let left = isLarge ? (breakAfter.shift() ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
      for await (const part of bus.requestParts(contract, ...rest)) {
        if (left === 0) throw new AppError('timeout', 'The connection was cut.');
        left -= 1;
        yield part;
      }
    },
  };
  return { ...bus, ...breaking };
}

test(
  'SDKs get all of an environment from a gateway that starts, after two transfers that broke off',
  async () => {
    breakAfter = [1, 40];
    url = await addGateway();
    const listing = await eventually(async () => {
      const answer = await system.call('GET', '/api/client/features', { url, token: system.clientTokens.development });
      expect(answer.status).toBe(200);
      return answer;
    }, limitMs);
    expect(transfers).toBe(3);
    expect(listing.text.length).toBeGreaterThan(count * 400_000);
    expect(listing.body.features.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: count }, (_, n) => `large-${String(n).padStart(5, '0')}`),
    );
    expect(listing.body.features.at(-1).strategies[0].parameters.filling).toHaveLength(400_000);
    await eventually(async () => {
      const running = await system.call('GET', '/api/client/features', { token: system.clientTokens.development });
      expect(running.text === listing.text).toBe(true);
    }, limitMs);
  },
  2 * limitMs,
);

test(
  'a change of one of its flags reaches the gateway as a change',
  async () => {
    const body = { features: ['large-00007'], stale: true };
    const { status } = await system.call('POST', '/api/admin/projects/large/stale', { body });
    expect(status).toBe(202);
    await eventually(async () => {
      const path = '/api/client/features/large-00007';
      const answer = await system.call('GET', path, { url, token: system.clientTokens.development });
      expect(answer.status).toBe(200);
      expect(answer.body.stale).toBe(true);
    }, limitMs);
  },
  limitMs,
);
