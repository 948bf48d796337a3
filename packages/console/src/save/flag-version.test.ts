import { expect, it } from 'vitest';
import { type FlagVersion, strategyAdded } from './flag-version.ts';

const version = (etag: string | null, ...ids: string[]) =>
  ({ data: { environments: [{ name: 'development', strategies: ids.map((id) => ({ id })) }] }, etag }) as FlagVersion;

it.each([
  ['is the new one', version('"4"', 'a'), version('"5"', 'a', 'b'), { id: 'b' }],
  ['is none when none is new', version('"4"', 'a'), version('"5"', 'a'), null],
  ['is none when another change came between', version('"4"'), version('"6"', 'b'), null],
  ['is none when nothing changed', version('"4"', 'a'), version('"4"', 'a'), null],
  ['is none when a proxy removed the ETag', version(null), version(null, 'b'), null],
])('the strategy that a switch added %s', (_title, before, after, added) => {
  expect(strategyAdded(before, after, 'development')).toEqual(added);
});
