import type { Attack } from '../attack.ts';
import { connectionKinds } from '../attackers/plan.ts';

/** More than the default of CONNECTION_LIMIT, from two addresses, neither of which reaches its own limit. */
const silentConnections = 15_050;

export const slowConnections = (connections: number): Attack => ({
  name: 'connections',
  title: 'slow and half-closed connections without a token',
  plan: ({ url }) => ({ kind: 'connections', url, connections, kinds: connectionKinds, addresses: ['127.0.0.1'] }),
});

export const silence: Attack = {
  name: 'silence',
  title: `${silentConnections} connections that send nothing`,
  plan: ({ url }) => ({
    ...{ kind: 'connections', url, connections: silentConnections, kinds: ['silent'] },
    addresses: ['127.0.0.2', '127.0.0.3'],
  }),
};
