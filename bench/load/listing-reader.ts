import { connect } from 'node:net';

/** The listing of a thousand flags is 350 kB, with long descriptions some more. */
const largestAnswer = 4 * 1024 * 1024;

export interface ListingAnswer {
  status: number;
  etag: string;
  /** Valid until the next read. */
  body: Buffer;
}

export interface ListingReader {
  /** Asks for the listing with this ETag ('' for none). One at a time. */
  read(etag: string): Promise<ListingAnswer>;
  close(): void;
}

/**
 * Asks a gateway for its listing over one connection and into one piece of memory. What pollers read is 28 MB a second: with fetch, which
 * takes new memory for each of them, the one who measures would need more of the machine than any service that is measured.
 */
export function openListing(gateway: string, token: string): ListingReader {
  const { hostname, port, host } = new URL(gateway);
  const answer = Buffer.alloc(largestAnswer);
  let length = 0;
  let settle: ((error: Error | null, answer?: ListingAnswer) => void) | null = null;
  const socket = connect({
    ...{ host: hostname, port: Number(port), noDelay: true },
    onread: {
      buffer: Buffer.alloc(64 * 1024),
      callback(count, part) {
        length += Buffer.from(part.buffer, part.byteOffset, count).copy(answer, length);
        const whole = wholeAnswer(answer.subarray(0, length));
        if (whole) settle?.(null, whole);
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

/** Null while some of it is to come. */
function wholeAnswer(bytes: Buffer): ListingAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
  const body = bytes.subarray(headEnd + 4);
  if (body.length < Number(header('content-length') ?? 0)) return null;
  return { status: Number(head.split(' ', 2)[1]), etag: header('etag') ?? '', body };
}
