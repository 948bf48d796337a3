import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { type Server, Socket } from 'node:net';

/**
 * The only code that reads internals of libraries and of Node. Their public interfaces lack what we need, and a newer
 * version may move an internal. So each is looked for at the start, and the start fails with a sentence if it is
 * missing: those of pg in `createPool`, that of the NATS client in `openConnection`, those of Node in the gateway's
 * `listen`.
 */
function internalOf<Internal>(library: string, owner: object, path: string): Internal {
  let value: unknown = owner;
  for (const name of path.split('.')) {
    const isOwner = value !== null && (typeof value === 'object' || typeof value === 'function');
    if (!isOwner || !(name in (value as object))) {
      throw new Error(
        `${library} ${versionOf(library)} has no ${path}, an internal that Yardarm needs: install the version that package-lock.json names.`,
      );
    }
    value = (value as Record<string, unknown>)[name];
  }
  return value as Internal;
}

function versionOf(library: string): string {
  if (library === 'node') return process.versions.node;
  const file = findPackageJSON(library, import.meta.url);
  return file === undefined ? '' : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

export function encoderOfPg(pg: object): (value: unknown) => unknown {
  return internalOf('pg', pg, 'utils.prepareValue');
}

export function socketOfPg(client: object): Socket {
  return internalOf('pg', client, 'connection.stream');
}

/** The process of the server that the connection was announced with. The client has to be connected. */
export function processIdOfPg(client: object): number {
  return internalOf('pg', client, 'processID');
}

/** The socket of the connection; undefined while the client connects. */
export function socketOfNats(connection: object): Socket | undefined {
  return internalOf('@nats-io/transport-node', connection, 'protocol.transport.socket');
}

/** Looks for what the functions below use. The server has to listen. */
export function requireNodeInternals(server: Server): void {
  internalOf('node', server, '_handle.bytesWritten');
  internalOf('node', server, '_handle.writeQueueSize');
  const socket = new Socket();
  try {
    server.emit('connection', socket);
    internalOf('node', socket, 'parser.onIncoming');
  } finally {
    socket.destroy();
  }
}

/** What net.Socket has of libuv: the bytes that were passed to it, and those that the kernel has not accepted yet. */
interface Handle {
  bytesWritten: number;
  writeQueueSize: number;
}

/**
 * The bytes that the kernel has accepted. Socket itself has no such number: it counts a write when all of its bytes are
 * accepted, which for a large answer may take long. Node finds out in the same way whether a write goes on when a
 * socket times out.
 */
export function acceptedBytes(socket: Socket): number {
  const handle = (socket as Socket & { _handle?: Handle | null })._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten;
}

/**
 * Ends the parsing of an HTTP connection. Without this, the parser would finish the bytes that it has read: up to
 * 64 kB, which can be thousands of requests, and Node makes objects for each. It stops at the result that Node's own
 * function has for a change of the protocol.
 */
export function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
}
