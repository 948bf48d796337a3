import { AppError } from '@yardarm/shared/errors';

/**
 * Requests that arrive at the same time share one transaction and one commit. The states of a request:
 *
 * queued   It waits in memory until it is the first of its key and no other request of its key is in one of the states below.
 * grouped  It is in the transaction of a group, which waits for no row lock.
 * blocked  Its group found its row locked. It waits in memory for one of the connections that may wait for a row lock.
 * waiting  It is alone in a transaction that waits for the row lock.
 *
 * Invariants: of one key at most one request is grouped, blocked or waiting, so requests of a key run in the order of arrival. One group
 * runs at a time, and at most `maxLockWaits` requests are waiting. A request whose deadline has passed does not begin a transaction.
 * A request that arrives while no group runs starts one at once, so nobody waits for company.
 */
export interface GroupCommitOptions<Item, Answer> {
  keyOf(item: Item): string;
  deadlineOf(item: Item): number;
  /**
   * Runs the items in one transaction and returns a result for each, in their order. Only with `skip` may a result be `locked`; with `wait`
   * there is one item. Throws when nothing was done or the outcome is unknown.
   */
  commit(items: readonly Item[], lockedRows: LockedRows): Promise<readonly GroupResult<Answer>[]>;
  /** Whether the error can come from a single item, so that each item of the group is tried alone. */
  isOfOneItem(error: unknown): boolean;
}

export type LockedRows = 'skip' | 'wait';

/** What became of one item of a group. Nothing was done for an item that is refused or locked. */
export type GroupResult<Answer> =
  | { status: 'updated'; answer: Answer }
  | { status: 'refused'; error: unknown }
  | { status: 'locked' };

/** A larger group would hold its locks for longer than a few milliseconds and save hardly anything more. */
const maxGroup = 64;

/** A process has ten connections unless configured otherwise: locked rows leave it most of them. */
const maxLockWaits = 3;

interface Request<Item, Answer> {
  item: Item;
  key: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Runs requests in groups, each group in one transaction. */
export class GroupCommit<Item, Answer> {
  readonly #options: GroupCommitOptions<Item, Answer>;
  readonly #queues = new Map<string, Request<Item, Answer>[]>();
  /** The keys of requests that are grouped, blocked or waiting. */
  readonly #busyKeys = new Set<string>();
  readonly #blocked: Request<Item, Answer>[] = [];
  #lockWaits = 0;
  #isCommitting = false;

  constructor(options: GroupCommitOptions<Item, Answer>) {
    this.#options = options;
  }

  /** Resolves with the answer of an updated item; rejects with its refusal, the failure of its transaction, or `timeout`. */
  submit(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf(item);
      const request = { item, key, resolve, reject };
      const queue = this.#queues.get(key);
      if (queue) queue.push(request);
      else this.#queues.set(key, [request]);
      void this.#commitGroups();
    });
  }

  async #commitGroups(): Promise<void> {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    for (let group = this.#nextGroup(); group.length > 0; group = this.#nextGroup()) await this.#run(group, 'skip');
    this.#isCommitting = false;
  }

  #nextGroup(): Request<Item, Answer>[] {
    const group: Request<Item, Answer>[] = [];
    for (const [key, queue] of this.#queues) {
      if (group.length === maxGroup) break;
      if (this.#busyKeys.has(key)) continue;
      const next = this.#takeFirst(queue);
      // The rest moves behind all other keys, so that a key with many requests starves none.
      this.#queues.delete(key);
      if (queue.length > 0) this.#queues.set(key, queue);
      if (!next) continue;
      this.#busyKeys.add(key);
      group.push(next);
    }
    return group;
  }

  /** Takes the first request whose deadline has not passed. Refuses those before it. */
  #takeFirst(requests: Request<Item, Answer>[]): Request<Item, Answer> | undefined {
    for (let first = requests.shift(); first; first = requests.shift()) {
      if (Date.now() < this.#options.deadlineOf(first.item)) return first;
      this.#settle(first, { status: 'refused', error: deadlinePassed() });
    }
    return undefined;
  }

  /** Never rejects. */
  async #run(group: readonly Request<Item, Answer>[], lockedRows: LockedRows): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const results = await this.#options.commit(items, lockedRows);
      for (const [index, request] of group.entries()) this.#settle(request, results[index]!);
    } catch (error) {
      const isRunAlone = group.length > 1 && this.#options.isOfOneItem(error);
      if (isRunAlone) for (const request of group) await this.#run([request], lockedRows);
      else for (const request of group) this.#settle(request, { status: 'refused', error });
    }
  }

  #settle(request: Request<Item, Answer>, result: GroupResult<Answer>): void {
    if (result.status === 'locked') {
      this.#blocked.push(request);
      this.#waitForLocks();
      return;
    }
    this.#busyKeys.delete(request.key);
    if (result.status === 'updated') request.resolve(result.answer);
    else request.reject(result.error);
  }

  #waitForLocks(): void {
    while (this.#lockWaits < maxLockWaits) {
      const request = this.#takeFirst(this.#blocked);
      if (!request) return;
      this.#lockWaits += 1;
      void this.#run([request], 'wait').then(() => {
        this.#lockWaits -= 1;
        this.#waitForLocks();
        void this.#commitGroups();
      });
    }
  }
}

/** The refusal of a request that nobody waits for any more. */
export function deadlinePassed(): AppError {
  return new AppError('timeout', 'The deadline passed while the request waited for others; nothing was done.');
}
