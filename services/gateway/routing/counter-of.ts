import { createHash, randomBytes } from 'node:crypto';
import { networkOf } from '@yardarm/shared/auth';

/** The number of counters that addresses share. */
export const counters = 65_536;

/** Returns the function that gives each address its counter, by a salted hash that no other process can compute. */
export function createCounterOf(): (address: string) => number {
  const salt = randomBytes(16);
  return (address) => createHash('sha256').update(salt).update(networkOf(address)).digest().readUInt32BE() % counters;
}
