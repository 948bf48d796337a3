import { describe, expect, it } from 'vitest';
import { toPerson } from './person.ts';

const nobody = { id: 7, name: null, username: null, email: null };

describe('shownPerson', () => {
  it.each([
    ['the name', { name: 'Ann', username: 'ann', email: 'ann@example.com' }, 'Ann'],
    ['the username without a name', { username: 'ann', email: 'ann@example.com' }, 'ann'],
    ['the username when the name is empty', { name: '', username: 'ann' }, 'ann'],
    ['the e-mail when there is nothing else', { email: 'ann@example.com' }, 'ann@example.com'],
    ['unknown when nothing is known', {}, 'unknown'],
  ])('shows %s', (_, known, name) => {
    expect(toPerson({ ...nobody, ...known }).name).toBe(name);
  });

  it('shows the same image for an address however it is written, and none that contains it', () => {
    const image = toPerson({ ...nobody, email: 'ann@example.com' }).imageUrl;
    expect(image).toMatch(/^https:\/\/gravatar\.com\/avatar\/[0-9a-f]{64}\?s=42&d=retro&r=g$/);
    expect(toPerson({ ...nobody, email: ' Ann@Example.com' }).imageUrl).toBe(image);
    expect(toPerson({ ...nobody, username: 'ann' }).imageUrl).not.toBe(image);
  });
});
