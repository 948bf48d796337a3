import { eventually } from '@yardarm/testing';
import type { Write } from './history.ts';

/** Longer than the gateway takes for any answer. */
const answerLimitMs = 10_000;

export interface Writer {
  journal: Write[];
  /** Waits for that many more acknowledged writes; throws after `limitMs`. */
  acknowledged(more: number, limitMs: number): Promise<void>;
  /** Stops after the answers to the writes in flight. */
  stop(): Promise<void>;
}

/**
 * Changes flags over HTTP at a steady rate. The writes of one flag are sequential, so that the order of its
 * acknowledged writes is known. The description contains the number of the write. Every other write also toggles
 * `stale`, which makes two events of one change. A write without an answer is not repeated.
 */
export function startWriter(options: {
  url(): string;
  token: string;
  flags: readonly string[];
  perSecond: number;
}): Writer {
  const { url, token, flags, perSecond } = options;
  const intervalMs = (1_000 * flags.length) / perSecond;
  const journal: Write[] = [];
  let isStopped = false;

  async function send(write: Write): Promise<Write['answer']> {
    const body = [
      { op: 'replace', path: '/description', value: write.description },
      { op: 'replace', path: '/stale', value: write.stale },
    ];
    try {
      const answer = await fetch(`${url()}/api/admin/projects/default/features/${write.flag}`, {
        method: 'PATCH',
        headers: { authorization: token, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerLimitMs),
      });
      const text = await answer.text();
      if (answer.ok) return 'acknowledged';
      write.reason = `${answer.status} ${text}`;
      return answer.status === 504 ? 'unknown' : 'refused';
    } catch (error) {
      // A refused connection means that the write was never sent. After other errors it may have been committed.
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      write.reason = code ?? (error as Error).message;
      return code === 'ECONNREFUSED' ? 'refused' : 'unknown';
    }
  }

  async function keepChanging(flag: string): Promise<void> {
    for (let round = 0; !isStopped; round += 1) {
      const next = new Promise((resolve) => setTimeout(resolve, intervalMs));
      const number = journal.length + 1;
      const write: Write = { number, flag, description: `write ${number}`, stale: round % 4 < 2, answer: 'unknown' };
      journal.push(write);
      write.answer = await send(write);
      await next;
    }
  }

  const countAcknowledged = () => journal.filter(({ answer }) => answer === 'acknowledged').length;
  const running = Promise.all(flags.map(keepChanging));
  return {
    journal,
    async acknowledged(more, limitMs) {
      const target = countAcknowledged() + more;
      await eventually(() => {
        const missing = target - countAcknowledged();
        if (missing > 0) throw new Error(`${missing} of ${more} writes were not acknowledged within ${limitMs} ms`);
      }, limitMs);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
