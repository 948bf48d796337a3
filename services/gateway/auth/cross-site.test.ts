import { expect, test } from 'vitest';
import { isCrossSite, type Origins } from './cross-site.ts';

const cases: [string, Partial<Origins>, boolean][] = [
  [
    'reads, wherever the page is from',
    { isChange: false, origin: 'https://evil.example', fetchSite: 'cross-site' },
    false,
  ],
  ['a caller that is not a browser: neither header', {}, false],
  ['a page of this host', { origin: 'https://flags.example', fetchSite: 'same-origin' }, false],
  [
    'a page of this host, the default port written out',
    { host: 'flags.example:443', origin: 'https://flags.example' },
    false,
  ],
  [
    'a page of this host, behind a proxy that ends HTTPS',
    { host: 'flags.example', origin: 'https://flags.example' },
    false,
  ],
  ['a page of another host', { origin: 'https://evil.example' }, true],
  ['a page of a sister host', { origin: 'https://other.flags.example', fetchSite: 'same-site' }, true],
  ['a page of another port', { origin: 'https://flags.example:8443' }, true],
  ['a page without an origin', { origin: 'null' }, true],
  ['a malformed origin', { origin: 'flags.example' }, true],
  ['a browser that sends cross-site and no origin', { fetchSite: 'cross-site' }, true],
  ['a browser that sends same-site and no origin', { fetchSite: 'same-site' }, true],
  ['an address that a person typed', { fetchSite: 'none' }, false],
  [
    'a page of this host by http:, while the request is by HTTPS',
    { isSecure: true, origin: 'http://flags.example' },
    true,
  ],
  ['a page of this host by HTTPS', { isSecure: true, origin: 'https://flags.example' }, false],
  ['no host to compare with', { host: undefined, origin: 'https://flags.example' }, true],
];

test.each(cases)('%s', (_title, part, expected) => {
  const request = { isChange: true, host: 'flags.example', isSecure: false, origin: undefined, fetchSite: undefined };
  expect(isCrossSite({ ...request, ...part })).toBe(expected);
});
