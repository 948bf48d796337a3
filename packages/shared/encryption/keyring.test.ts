import { describe, expect, it } from 'vitest';
import { keyringOf, readKey } from './keyring.ts';

const key = (fill: number) => Buffer.alloc(32, fill);

describe('a value that was sealed', () => {
  const ring = keyringOf(key(1));
  const sealed = ring.seal('grüße \u0000', 'webhook');

  it('opens unchanged, and reveals nothing', () => {
    expect(ring.open(sealed, 'webhook')).toBe('grüße \u0000');
    expect(Buffer.from(sealed.text, 'base64').toString()).not.toContain('gr');
    expect(sealed.keyId).toMatch(/^[0-9a-f]{16}$/);
  });

  it('differs each time', () => {
    expect(ring.seal('a', 'x').text).not.toBe(ring.seal('a', 'x').text);
  });

  it('opens for no other purpose, by no other key, and not when a bit of it has changed', () => {
    expect(() => ring.open(sealed, 'slack')).toThrow();
    expect(() => keyringOf(key(2)).open(sealed, 'webhook')).toThrow(`there is no key with the id ${sealed.keyId}`);
    const bytes = Buffer.from(sealed.text, 'base64');
    for (const index of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      expect(() => ring.open({ ...sealed, text: changed.toString('base64') }, 'webhook')).toThrow();
    }
    expect(() => ring.open({ ...sealed, text: '' }, 'webhook')).toThrow();
  });

  it('opens by a key that is no longer, or not yet, the current one', () => {
    const rotated = keyringOf(key(2), [key(1)]);
    expect(rotated.open(sealed, 'webhook')).toBe('grüße \u0000');
    expect(rotated.seal('a', 'x').keyId).toBe(keyringOf(key(2)).currentId);
  });

  it('from a release without encryption is the text itself', () => {
    expect(ring.open({ keyId: null, text: '{}' }, 'webhook')).toBe('{}');
  });
});

describe('a key', () => {
  it('is 32 bytes in base64, with or without padding', () => {
    expect(readKey(key(7).toString('base64'))).toEqual(key(7));
    expect(readKey(key(7).toString('base64').replace('=', ''))).toEqual(key(7));
  });

  it.each(['', 'secret', key(1).subarray(1).toString('base64'), `${key(1).toString('base64')}AA`, 'ä'.repeat(44)])(
    'is not "%s"',
    (text) => {
      expect(readKey(text)).toBeNull();
    },
  );

  it('has an id that only equal keys share', () => {
    expect(keyringOf(key(1)).currentId).toBe(keyringOf(key(1)).currentId);
    expect(keyringOf(key(1)).currentId).not.toBe(keyringOf(key(2)).currentId);
  });
});
