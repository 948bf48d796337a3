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

type Read = (push: (frame: Frame) => void, taken: () => Promise<void>) => Promise<void>;

/**
 * Yields the frames that `read` pushes, in order. `read` need not wait for the caller, so it may use a transaction: a
 * slow caller occupies memory and no connection. `push` throws when the caller has left, at the deadline, and
 * `unavailable` when slow callers of this process occupy too much memory. Throws the error of `read` after its frames.
 *
 * The deadline moves with each frame that the caller takes: what follows has as long as the request had. So an answer
 * of any length arrives. A `read` of more than memory should have waits with `taken` until the caller has taken all
 * frames so far. `taken` throws when the caller has left.
 */
export async function* readAhead(read: Read, { deadline }: RequestContext): AsyncGenerator<Frame> {
  const patienceMs = deadline - Date.now();
  let until = deadline;
  const waiting: Frame[] = [];
  const wakeUp = new WakeUp();
  const takenWakeUp = new WakeUp();
  let isRead = false;
  let hasLeft = false;
  const take = () => {
    const frame = waiting.shift();
    if (frame) {
      waitingBytes -= frame.deflated.length;
      until = Date.now() + patienceMs;
    }
    if (waiting.length === 0) takenWakeUp.wake();
    return frame;
  };
  const requireCaller = () => {
    if (hasLeft) throw new AppError('timeout', 'The caller has left.');
  };
  const push = (frame: Frame) => {
    requireCaller();
    if (Date.now() >= until) throw new AppError('timeout', 'The answer was not read in time.');
    if (waitingBytes + frame.deflated.length > maxWaitingBytes) {
      throw new AppError('unavailable', 'Too many callers read their answers slowly.', { retryAfterSeconds: 1 });
    }
    waiting.push(frame);
    waitingBytes += frame.deflated.length;
    wakeUp.wake();
  };
  const taken = async () => {
    while (waiting.length > 0 && !hasLeft) await takenWakeUp.wait(maxWaitMs);
    requireCaller();
  };
  const reading = read(push, taken).finally(() => {
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
    takenWakeUp.wake();
    await reading.catch(() => {});
  }
}
