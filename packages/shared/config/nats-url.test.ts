import { expect, test } from 'vitest';
import { natsServersOf, natsUrl } from './nats-url.ts';

test('servers have a scheme of NATS or none', () => {
  const servers = natsServersOf('nats://a:4223, b,tls://u:p@[::1]:4224')?.map(({ href }) => href);
  expect(servers).toEqual(['nats://a:4223', 'nats://b', 'tls://u:p@[::1]:4224']);
});

test.each(['http://a:4222', 'nats://a,wss://b', 'postgres://a', 'nats://a:port', 'nats://', ' , '])(
  'the address %j is refused without the address in the message',
  (text) => {
    expect(natsServersOf(text)).toBeNull();
    expect(natsUrl.safeParse(text).error?.issues.map(({ message }) => message)).toEqual([
      'should be nats://host:port, or several with commas between',
    ]);
  },
);
