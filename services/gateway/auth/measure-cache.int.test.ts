// Proves what the metrics say of a cache of tokens: where each answer came from, and how many tokens it has.
import { makeToken } from '@yardarm/shared/auth';
import { scrape } from '@yardarm/shared/telemetry';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenLookups } from '../metrics.ts';
import { sdk, TokensUnderTest } from '../testing/tokens-under-test.ts';

let rig: TokensUnderTest;

beforeAll(async () => {
  rig = await TokensUnderTest.start();
});
afterAll(() => rig?.stop());

/** The samples of the tokens of accounts, by the value of their second label. */
async function samples(name: string): Promise<Record<string, number>> {
  const lines = (await scrape()).matchAll(new RegExp(`^${name}{owner="accounts",\\w+="(\\w+)"} (\\d+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, label, value]) => [label, Number(value)]));
}

test('look-ups are counted by where their answer came from, and tokens by whether they exist', async () => {
  await scrape();
  tokenLookups.reset();
  const unknown = makeToken('*:development.');
  await rig.find(sdk);
  for (let time = 0; time < 3; time += 1) await rig.find(sdk);
  await rig.find(unknown);
  await rig.find(unknown);
  rig.now += 26_000;
  await rig.find(sdk);
  expect(await samples('yardarm_gateway_token_lookups_total')).toEqual({ memory: 3, unknown: 1, stale: 1, absent: 2 });
  expect(await samples('yardarm_gateway_tokens_cached')).toEqual({ known: 1, unknown: 1 });
});

test('after its stop the look-ups of a cache are not counted any more', async () => {
  const before = await samples('yardarm_gateway_token_lookups_total');
  rig.tokens.stop();
  await rig.find(sdk);
  expect(await samples('yardarm_gateway_token_lookups_total')).toEqual(before);
});
