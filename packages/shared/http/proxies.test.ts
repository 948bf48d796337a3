import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxies.ts';

const proxies = (none: string[] = []) => ({ http: 'http://proxy-a', https: 'http://proxy-b', none });
const proxyOf = (url: string, none: string[] = []) => proxyFor(new URL(url), proxies(none));

describe('a call uses', () => {
  it('the proxy of its scheme, if there is one', () => {
    expect([proxyOf('http://hooks.example'), proxyOf('https://hooks.example')]).toEqual([
      'http://proxy-a',
      'http://proxy-b',
    ]);
    expect(proxyFor(new URL('http://hooks.example'), { http: null, https: 'http://proxy-b', none: [] })).toBeNull();
  });

  it.each([
    ['*', 'https://hooks.example'],
    ['hooks.example', 'https://HOOKS.example.'],
    ['hooks.example', 'https://a.hooks.example'],
    ['.hooks.example', 'https://a.hooks.example'],
    ['*.hooks.example', 'https://a.hooks.example'],
    ['hooks.example:443', 'https://hooks.example'],
    ['hooks.example:8080', 'http://hooks.example:8080'],
    ['10.0.0.1', 'http://10.0.0.1'],
    ['::1', 'http://[::1]'],
    ['[::1]:80', 'http://[::1]'],
  ])('no proxy when NO_PROXY has %s, to %s', (entry, url) => {
    expect(proxyOf(url, ['other.example', entry])).toBeNull();
  });

  it.each([
    ['hooks.example', 'https://webhooks.example'],
    ['hooks.example:8443', 'https://hooks.example'],
    ['.', 'https://hooks.example'],
    ['', 'https://hooks.example'],
    ['0.0.1', 'http://10.0.0.10'],
    ['example.com', 'https://example.com.evil.example'],
  ])('a proxy although NO_PROXY has %s, to %s', (entry, url) => {
    expect(proxyOf(url, [entry])).not.toBeNull();
  });
});
