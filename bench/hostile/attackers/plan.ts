/** The forms of a hostile connection, each of which sends or reads slower than a client in good faith. */
export const connectionKinds = [
  ...(['pipelining', 'silent', 'slow head', 'slow body', 'slow reader', 'half-closed'] as const),
];

export type ConnectionKind = (typeof connectionKinds)[number];

/** Connections without a token. */
export interface ConnectionsPlan {
  kind: 'connections';
  url: string;
  connections: number;
  kinds: readonly ConnectionKind[];
  /** The local addresses that they come from, in turn. On Linux the whole of 127.0.0.0/8 is local. */
  addresses: readonly string[];
}

/**
 * A request that is sent again and again. In its texts, `[<id>]` is a text of which no other request has the same,
 * `[<token>]` a client token that does not exist, and `[<ab 1000>]` a random text of 1,000 letters of "a" and "b".
 */
export interface HostileRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** The body is sent as gzip. */
  isCompressed?: boolean;
}

/** Requests in their order, each connection with `pipelining` of them at once. */
export interface RequestsPlan {
  kind: 'requests';
  url: string;
  connections: number;
  /** The default is 1. */
  pipelining?: number;
  requests: readonly HostileRequest[];
}

/** Streams of server-sent events of one token. One that is refused or ends is opened again after a second. */
export interface StreamsPlan {
  kind: 'streams';
  url: string;
  connections: number;
  paths: readonly string[];
  headers: Record<string, string>;
}

export type Plan = ConnectionsPlan | RequestsPlan | StreamsPlan;

/** What an attacking process has done until now. */
export interface Report {
  /** How many connections are open now, as far as this process knows: one that reads nothing learns of its end late. */
  open: number;
  /** The connections that it opened by kind, or the answers that it got by status. */
  counts: Record<string, number>;
}
