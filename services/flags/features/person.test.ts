import { describe, expect, it } from 'vitest';
import { toPerson } from './person.ts';

const unknown = { id: 7, name: null, username: null, email: null };

describe('toPerson', () => {
  it.each([
    ['the name', { name: 'Ann', username: 'ann', email: 'ann@example.com' }, 'Ann'],
    ['the username without a name', { username: 'ann', email: 'ann@example.com' }, 'ann'],
    ['the username when the name is empty', { name: '', username: 'ann' }, 'ann'],
    ['the e-mail when there is nothing else', { email: 'ann@example.com' }, 'ann@example.com'],
    ['unknown when nothing is known', {}, 'unknown'],
  ])('has %s', (_, known, name) => {
    expect(toPerson({ ...unknown, ...known }).name).toBe(name);
  });

  it('has the same image for every spelling of an address, and does not contain the address', () => {
    const image = toPerson({ ...unknown, email: 'ann@example.com' }).imageUrl;
    expect(image).toMatch(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?s=42&d=retro&r=g$/);
    expect(toPerson({ ...unknown, email: ' Ann@Example.com' }).imageUrl).toBe(image);
    expect(toPerson({ ...unknown, username: 'ann' }).imageUrl).not.toBe(image);
  });
});
