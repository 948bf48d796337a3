import { AppError } from '../errors/index.ts';
import { WakeUp } from '../waiting/index.ts';
import type { RequestContext } from './bus.ts';
import type { Frame } from './frames.ts';

/** The list of 5,000 flags has 20 MB, deflated one or two. This many bytes wait for tens of slow callers. */
const maxWaitingBytes = 64_000_000;
/** Every frame, and the end, wakes the caller. A wait that ends earlier is repeated. */
const maxWaitMs = 10_000;
/** The waiting bytes of all answers of this process. */
let waitingBytes = 0;

type Read = (push: (frame: Frame) => void) => Promise<void>;

/**
 * Yields the frames that `read` pushes, in order. `read` never waits for the caller, so it may use a transaction: a
 * slow caller occupies memory and no connection. `push` throws when the caller has left, at the deadline of the
 * request, and `unavailable` when slow callers of this process occupy too much memory. Throws the error of `read`
 * after its frames.
 */
export async function* readAhead(read: Read, { deadline }: RequestContext): AsyncGenerator<Frame> {
  const waiting: Frame[] = [];
  const wakeUp = new WakeUp();
  let isRead = false;
  let hasLeft = false;
  const take = () => {
    const frame = waiting.shift();
    waitingBytes -= frame?.deflated.length ?? 0;
    return frame;
  };
  const reading = read((frame) => {
    if (hasLeft) throw new AppError('timeout', 'The caller has left.');
    if (Date.now() >= deadline) throw new AppError('timeout', 'The answer was not read in time.');
    if (waitingBytes + frame.deflated.length > maxWaitingBytes) {
      throw new AppError('unavailable', 'Too many callers read their answers slowly.', { retryAfterSeconds: 1 });
    }
    waiting.push(frame);
    waitingBytes += frame.deflated.length;
    wakeUp.wake();
  }).finally(() => {
    isRead = true;
    wakeUp.wake();
  });
  // Its error is thrown where it is awaited, which may be later.
  reading.catch(() => {});
  try {
    while (!isRead || waiting.length > 0) {
      const frame = take();
      if (frame) yield frame;
      else await wakeUp.wait(maxWaitMs);
    }
    await reading;
  } finally {
    hasLeft = true;
    while (waiting.length > 0) take();
    await reading.catch(() => {});
  }
}
