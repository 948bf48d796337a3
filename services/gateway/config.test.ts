import { expect, test } from 'vitest';
import { allowedHosts, connectionsPerAddress, loadGatewayConfig, publicPath, publicUrl } from './config.ts';

const trusted = (TRUST_PROXY: string) => loadGatewayConfig({ NATS_URL: 'nats://x', TRUST_PROXY }).TRUST_PROXY;

test.each([
  ['', undefined],
  ['1', 1],
  ['10.0.0.1', ['10.0.0.1']],
  ['loopback, 10.0.0.0/8,2001:db8::/32', ['loopback', '10.0.0.0/8', '2001:db8::/32']],
])('TRUST_PROXY %j is read as %j', (text, expected) => {
  expect(trusted(text)).toEqual(expected);
});

// With `true`, Express trusts every caller, and a caller could claim any address.
test.each(['true', '0', '100', 'proxy.example', '10.0.0.0/33', '10.0.0.1/', '10.0.0.1,,loopback', '::1/8/8'])(
  'TRUST_PROXY %j is refused at the start',
  (text) => {
    expect(() => trusted(text)).toThrow('TRUST_PROXY: should be a number of proxies');
  },
);

test.each([
  [undefined, ''],
  ['https://flags.example.com', ''],
  ['https://flags.example.com/', ''],
  ['https://example.com/our/flags/', '/our/flags'],
])('behind UNLEASH_URL %s, paths begin with %j', (url, expected) => {
  const environment = { NATS_URL: 'nats://x', ...(url !== undefined && { UNLEASH_URL: url }) };
  expect(publicPath(loadGatewayConfig(environment))).toBe(expected);
});

test.each([
  ['http://localhost:4242-4243', 'http://localhost:4242'],
  ['http://localhost:5000', 'http://localhost:5000'],
  ['https://flags.example.com/1:2-3/', 'https://flags.example.com/1:2-3'],
])('UNLEASH_URL %s is the address %s', (url, expected) => {
  expect(publicUrl(loadGatewayConfig({ NATS_URL: 'nats://x', UNLEASH_URL: url }))).toBe(expected);
});

test('UNLEASH_URL with another text than a port is refused at the start', () => {
  const environment = { NATS_URL: 'nats://x', UNLEASH_URL: 'http://localhost:some-ports' };
  expect(() => loadGatewayConfig(environment)).toThrow('UNLEASH_URL: should be an http:// or https:// URL');
});

const groupsOf = (GATEWAY_ROUTE_GROUPS: string) => [
  ...loadGatewayConfig({ NATS_URL: 'nats://x', GATEWAY_ROUTE_GROUPS }).GATEWAY_ROUTE_GROUPS,
];

test.each([
  ['', ['admin', 'sdk', 'signals', 'console']],
  ['signals', ['signals']],
  [' sdk,admin, sdk,', ['sdk', 'admin']],
])('GATEWAY_ROUTE_GROUPS %j is read as %j', (text, expected) => {
  expect(groupsOf(text)).toEqual(expected);
});

test.each(['all', 'SDK', 'sdk signals', 'sdk,client', ','])(
  'GATEWAY_ROUTE_GROUPS %j is refused at the start',
  (text) => {
    expect(() => groupsOf(text)).toThrow('GATEWAY_ROUTE_GROUPS: should be admin, sdk, signals or console');
  },
);

const hostsOf = (environment: Record<string, string>) =>
  allowedHosts(loadGatewayConfig({ NATS_URL: 'nats://x', ...environment }));

test('with ALLOWED_HOSTS the hosts of UNLEASH_URL and HOST are accepted too, and without it every host is', () => {
  expect(hostsOf({ UNLEASH_URL: 'https://flags.example' })).toEqual([]);
  const hosts = hostsOf({
    ALLOWED_HOSTS: 'localhost, gateway',
    UNLEASH_URL: 'https://flags.example:8443/x',
    HOST: 'box',
  });
  expect(hosts).toEqual(['localhost', 'gateway', 'box', 'flags.example']);
});

test.each(['localhost:4242', 'http://localhost', '*', 'a b'])('ALLOWED_HOSTS %j is refused at the start', (text) => {
  expect(() => hostsOf({ ALLOWED_HOSTS: text })).toThrow('ALLOWED_HOSTS: should be host names without ports');
});

test('an address without trusted proxies has two thirds of the connections', () => {
  const settings = { CONNECTION_LIMIT: 15_000, CONNECTION_LIMIT_PER_ADDRESS: undefined, TRUST_PROXY: undefined };
  expect(connectionsPerAddress(settings)).toBe(10_000);
  expect(connectionsPerAddress({ ...settings, CONNECTION_LIMIT_PER_ADDRESS: 0 })).toBe(0);
  expect(connectionsPerAddress({ ...settings, TRUST_PROXY: trusted('1') })).toBe(0);
});

test('connections are limited in all and for each address', () => {
  const limitsOf = (environment: Record<string, string>) => {
    const { CONNECTION_LIMIT, CONNECTION_LIMIT_PER_ADDRESS } = loadGatewayConfig({
      NATS_URL: 'nats://x',
      ...environment,
    });
    return [CONNECTION_LIMIT, CONNECTION_LIMIT_PER_ADDRESS];
  };
  expect(limitsOf({})).toEqual([15_000, undefined]);
  expect(limitsOf({ CONNECTION_LIMIT: '10', CONNECTION_LIMIT_PER_ADDRESS: '5' })).toEqual([10, 5]);
  for (const CONNECTION_LIMIT of ['0', '-1', '1.5', 'many'])
    expect(() => limitsOf({ CONNECTION_LIMIT })).toThrow('CONNECTION_LIMIT: should be');
});
