import { eventually } from '@yardarm/testing';
import type { Write } from './history.ts';

/** Longer than the gateway takes to answer anything: beyond it nobody will answer. */
const answerLimitMs = 10_000;

export interface Writer {
  /** Every write that was asked for, with what was answered. */
  journal: Write[];
  /** Resolves when that many more writes have been acknowledged; throws after `limitMs`. */
  acknowledged(more: number, limitMs: number): Promise<void>;
  /** Ends after the answers that are still owed. */
  stop(): Promise<void>;
}

/**
 * Changes flags over HTTP at a steady rate, one write of a flag at a time, so that the order of a flag's acknowledged writes is known.
 * Each write is told by its number, which it puts into the description, and turns `stale` as well every other time: two events of one
 * change. A write that has no answer is not asked for again.
 */
export function startWriter(options: {
  url(): string;
  token: string;
  flags: readonly string[];
  perSecond: number;
}): Writer {
  const { url, token, flags, perSecond } = options;
  const everyMs = (1_000 * flags.length) / perSecond;
  const journal: Write[] = [];
  let isStopped = false;

  async function ask(write: Write): Promise<Write['answer']> {
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
      await answer.arrayBuffer();
      if (answer.ok) return 'acknowledged';
      return answer.status === 504 ? 'unknown' : 'refused';
    } catch (error) {
      // Nobody listened: the write was never sent. Any other break leaves open whether it happened.
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      return code === 'ECONNREFUSED' ? 'refused' : 'unknown';
    }
  }

  async function keepChanging(flag: string): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      const next = new Promise((resolve) => setTimeout(resolve, everyMs));
      const number = journal.length + 1;
      const write: Write = { number, flag, description: `write ${number}`, stale: turn % 4 < 2, answer: 'unknown' };
      journal.push(write);
      write.answer = await ask(write);
      await next;
    }
  }

  const acknowledgedSoFar = () => journal.filter(({ answer }) => answer === 'acknowledged').length;
  const running = Promise.all(flags.map(keepChanging));
  return {
    journal,
    async acknowledged(more, limitMs) {
      const enough = acknowledgedSoFar() + more;
      await eventually(() => {
        const missing = enough - acknowledgedSoFar();
        if (missing > 0) throw new Error(`of ${more} writes ${missing} were not acknowledged within ${limitMs} ms`);
      }, limitMs);
    },
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
