import type { Logins } from '../config/index.ts';
import type { RequestContract } from '../contracts/contract.ts';
import type { Logger } from '../log/index.ts';
import type { StreamOwner } from './stream-owner.ts';

export interface BusOptions {
  /** Comma-separated servers, `nats://user:password@host:port`. The first credentials are used for all servers. */
  url: string;
  /** The logins that new connections may use instead, as URLs: those of a file, whose content changes. */
  logins?: Logins;
  /** The service. Its inboxes are below this name, and other services answer there. */
  name: string;
  /** The prefix of every subject, queue group, stream and durable: letters, digits and `-`; empty for none. */
  prefix: string;
  log: Logger;
  /** With a file, TLS is required. Without, it is used when a server asks for it. */
  tls?: TlsFiles;
  shape?: StreamShape;
  /** For a process with a database: EVENTS has to carry the id of the same system. */
  system?: StreamOwner;
  /** Throws for a request that this process may not answer now. Its input is not read then. */
  admit?(contract: RequestContract): void;
  /** Ends the attempts to make the first connection: `unavailable` is thrown. */
  signal?: AbortSignal;
  /** Called after each failed attempt to make the first connection, with the reason as a clause. */
  onWaiting?(problem: string): void;
}

/** Paths of PEM files. They are read at each connection, so that a renewed certificate needs no restart. */
export interface TlsFiles {
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

/** How a cluster of NATS keeps the streams. What is not given is 1 and none for a new stream, and kept of another. */
export interface StreamShape {
  replicas?: number | undefined;
  placementTags?: readonly string[] | undefined;
}
