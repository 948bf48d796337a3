import type { Bus } from '@yardarm/shared/bus';
import { reportUsage } from '@yardarm/shared/contracts/flags';
import { AppError, coerceError } from '@yardarm/shared/errors';
import type { Logger } from '@yardarm/shared/log';
import { pause } from '@yardarm/shared/waiting';
import { droppedUsage } from '../../metrics.ts';
import { startPeriodicSender } from '../../periodic-sender.ts';
import { systemContext } from '../../system-context.ts';
import type { SentUsage } from './sent-usage.ts';
import type { ReportToken, UsageBatch } from './usage-buffer.ts';
import { UsageBuffer } from './usage-buffer.ts';

/**
 * Collects what SDKs report and sends it to flags. The states of a count:
 *
 *   buffered -> In memory, summed up with others of its application, flag and hour. No request waits for it.
 *   sent     -> In a batch that does not change any more. Until flags answers, the batch is sent again with the same
 *               id, so that flags counts it once, and no newer batch is made.
 *   stored   -> Flags has answered. It is forgotten here.
 *   dropped  -> There was no room for it, flags refused it, or a drain ended without an answer. A metric counts it.
 *
 * A killed process loses what is buffered or sent.
 */
export interface Usage {
  add(reporter: ReportToken, sent: SentUsage): void;
  /** Sends the batches without an answer and then what is buffered. Never throws. */
  send(): Promise<void>;
  /** Stops the timer and sends the rest. Gives up after some seconds. */
  drain(): Promise<void>;
}

/** Consoles show minutes, and a killed process loses this much. */
const sendEveryMs = 10_000;
/** Flags stores a batch in well under a second. */
const timeoutMs = 5_000;
/** A part of the grace period of a stop. */
const drainMs = 4_000;
const retryEveryMs = 200;

export function startUsage(bus: Bus, log: Logger, clock: () => number = Date.now): Usage {
  const buffer = new UsageBuffer();
  /** The batch that is sent, until flags answers, and those that follow it. */
  let batch: UsageBatch | undefined;
  let later = buffer.take();

  async function sendBatches(): Promise<void> {
    for (batch ??= next(); batch; batch = next()) {
      try {
        const { excessApplications } = await bus.request(reportUsage, batch, systemContext(timeoutMs));
        if (excessApplications > 0) {
          droppedUsage.inc({ reason: 'excess' }, excessApplications);
          log.warn({ excessApplications }, 'there is no room for more applications; their counts have one name');
        }
      } catch (error) {
        if (!isFinal(error)) throw error;
        drop('refused', [batch]);
        log.error({ err: coerceError(error) }, 'flags refused a report of usage, which is dropped');
      }
    }
  }

  const next = () => later.next().value ?? undefined;

  function drop(reason: string, dropped: Iterable<UsageBatch>): void {
    let count = 0;
    for (const { rows, instances } of dropped) count += rows.length + instances.length;
    if (count > 0) droppedUsage.inc({ reason }, count);
  }

  async function sendAll(): Promise<void> {
    try {
      await sendBatches();
      later = buffer.take();
      await sendBatches();
    } catch (error) {
      log.debug({ err: coerceError(error) }, 'usage could not be sent to flags; it is sent again later');
    }
  }

  const sender = startPeriodicSender(sendAll, sendEveryMs);

  return {
    add(reporter, sent) {
      const excess = buffer.add(reporter, sent, clock());
      if (sent.dropped > 0) droppedUsage.inc({ reason: 'invalid' }, sent.dropped);
      if (excess > 0) droppedUsage.inc({ reason: 'excess' }, excess);
    },
    send: sender.send,
    async drain() {
      sender.stop();
      const deadline = performance.now() + drainMs;
      await sender.send();
      while (batch && performance.now() < deadline) {
        await pause(retryEveryMs);
        await sender.send();
      }
      if (!batch) return;
      drop('unsent', [batch]);
      drop('unsent', later);
      log.warn('the last usage could not be sent to flags and is lost');
    },
  };
}

/** Whether flags will never accept the batch. A refusal is a bug of our code. */
function isFinal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'validation';
}
