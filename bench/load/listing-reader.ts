import { connect } from 'node:net';

/** The listing of a thousand flags has 800 kB, more with long descriptions. */
const maxAnswerBytes = 4 * 1024 * 1024;

export interface ListingAnswer {
  status: number;
  etag: string;
  /** Valid until the next read. */
  body: Buffer;
}

export interface ListingReader {
  /** Requests the listing with this ETag ('' for none). Only one read at a time. */
  read(etag: string): Promise<ListingAnswer>;
  close(): void;
}

/**
 * Opens a reader of a gateway's listing, with one connection and one buffer. All pollers read 65 MB per second. With
 * fetch, which allocates memory for each answer, they would need more of the machine than any measured service.
 */
export function openListing(gateway: string, token: string): ListingReader {
  const { hostname, port, host } = new URL(gateway);
  const answer = Buffer.alloc(maxAnswerBytes);
  let length = 0;
  let settle: ((error: Error | null, answer?: ListingAnswer) => void) | null = null;
  const socket = connect({
    ...{ host: hostname, port: Number(port), noDelay: true },
    onread: {
      buffer: Buffer.alloc(64 * 1024),
      callback(count, part) {
        length += Buffer.from(part.buffer, part.byteOffset, count).copy(answer, length);
        const parsed = parseAnswer(answer.subarray(0, length));
        if (parsed) settle?.(null, parsed);
        return true;
      },
    },
  });
  socket.on('error', (error) => settle?.(error));
  socket.on('close', () => settle?.(new Error(`${gateway} closed the connection`)));
  return {
    read(etag) {
      length = 0;
      return new Promise((resolve, reject) => {
        settle = (error, read) => {
          settle = null;
          if (error) reject(error);
          else resolve(read!);
        };
        const condition = etag && `if-none-match: ${etag}\r\n`;
        socket.write(
          `GET /api/client/features HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${token}\r\n${condition}\r\n`,
        );
      });
    },
    close: () => socket.destroy(),
  };
}

/** Parses an answer; null while it is incomplete. */
function parseAnswer(bytes: Buffer): ListingAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  const body = bytes.subarray(headEnd + 4);
  if (body.length < Number(header('content-length') ?? 0)) return null;
  return { status: Number(head.split(' ', 2)[1]), etag: header('etag') ?? '', body };
}
