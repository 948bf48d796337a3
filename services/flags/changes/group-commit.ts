import { AppError } from '@yardarm/shared/errors';
import { stopping } from '@yardarm/shared/waiting';

/**
 * Requests of one kind that arrive at the same time share one transaction and one commit. A request has one of these
 * states:
 *
 * queued   It waits in memory until it is the first of its key, no request of its key has one of the states below, and
 *          a group of its kind begins.
 * grouped  It is in the transaction of a group. That transaction waits for no row lock of a key.
 * blocked  Its group found its row locked, or failed because of one of its requests. It waits in memory for one of the
 *          connections that may wait for a row lock.
 * waiting  It is alone in a transaction that waits for the row lock.
 *
 * Invariants: At most one request of a key is grouped, blocked or waiting, so requests of a key run in the order of
 * arrival. One group runs at a time, of the kind of the first request in memory. At most `maxLockWaits` requests are
 * waiting. A request whose deadline has passed begins no transaction. A request that arrives while no group runs starts
 * one at once. After `stop` no transaction begins: the requests in memory are refused, and those that are grouped or
 * waiting end as their transaction does.
 */
export interface GroupCommitOptions<Item, Answer> {
  keyOf(item: Item): string;
  kindOf(item: Item): string;
  deadlineOf(item: Item): number;
  /**
   * Runs the items in one transaction and returns a result for each, in their order. Only with `skip` can a result be
   * `locked`. With `wait` there is one item, and its deadline limits the wait. Throws when nothing was done or the
   * outcome is unknown.
   */
  commit(items: readonly Item[], lockedRows: LockedRows): Promise<readonly GroupResult<Answer>[]>;
  /** Whether a single item can have caused the error. Then each item of the group runs again alone. */
  isCausedByItem(error: unknown): boolean;
}

export type LockedRows = 'skip' | 'wait';

/**
 * The result of one item of a group. Nothing was done for an item that is refused or locked. The change of an
 * `unreadable` one is committed, and its answer cannot be made.
 */
export type GroupResult<Answer> =
  | { status: 'updated'; answer: Answer }
  | { status: 'unreadable'; error: unknown }
  | { status: 'refused'; error: unknown }
  | { status: 'locked' };

/** A larger group would hold its locks for longer than a few milliseconds and would save hardly more. */
const maxGroup = 64;

/** A process has ten connections by default. Most of them stay free for other requests. */
const maxLockWaits = 3;

interface Request<Item, Answer> {
  item: Item;
  key: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export class GroupCommit<Item, Answer> {
  readonly #options: GroupCommitOptions<Item, Answer>;
  readonly #queues = new Map<string, Request<Item, Answer>[]>();
  /** The keys of requests that are grouped, blocked or waiting. */
  readonly #busyKeys = new Set<string>();
  readonly #blocked: Request<Item, Answer>[] = [];
  #lockWaits = 0;
  #isCommitting = false;
  #isStopped = false;

  constructor(options: GroupCommitOptions<Item, Answer>) {
    this.#options = options;
  }

  /** Rejects with the refusal of the item, the error of its transaction, `timeout`, or `unavailable` after a stop. */
  submit(item: Item): Promise<Answer> {
    if (this.#isStopped) return Promise.reject(stopping());
    return new Promise((resolve, reject) => {
      const key = this.#options.keyOf(item);
      const request = { item, key, resolve, reject };
      const queue = this.#queues.get(key);
      if (queue) queue.push(request);
      else this.#queues.set(key, [request]);
      void this.#commitGroups();
    });
  }

  /** Refuses the requests in memory, since each may have to wait for a lock as long as its deadline allows. */
  stop(): void {
    this.#isStopped = true;
    for (const queue of this.#queues.values()) this.#removeFirst(queue);
    this.#queues.clear();
    this.#removeFirst(this.#blocked);
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
      const next = this.#removeFirst(queue, group[0]);
      // The rest of the queue moves behind all other keys, so that a key with many requests does not starve them.
      if (next || queue.length === 0) this.#queues.delete(key);
      if (!next) continue;
      if (queue.length > 0) this.#queues.set(key, queue);
      this.#busyKeys.add(key);
      group.push(next);
    }
    return group;
  }

  /**
   * Removes and returns the first request whose deadline has not passed, unless its kind is another one than that of
   * `leader`. Refuses the requests before it; after a stop all of them.
   */
  #removeFirst(requests: Request<Item, Answer>[], leader?: Request<Item, Answer>): Request<Item, Answer> | undefined {
    for (let [first] = requests; first; [first] = requests) {
      const error = this.#refusalOf(first);
      const { kindOf } = this.#options;
      if (error === null && leader && kindOf(first.item) !== kindOf(leader.item)) return undefined;
      requests.shift();
      if (error === null) return first;
      this.#settle(first, { status: 'refused', error });
    }
    return undefined;
  }

  #refusalOf({ item }: Request<Item, Answer>): AppError | null {
    if (this.#isStopped) return stopping();
    return Date.now() < this.#options.deadlineOf(item) ? null : deadlinePassed();
  }

  /** Never rejects. */
  async #run(group: readonly Request<Item, Answer>[], lockedRows: LockedRows): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const results = await this.#options.commit(items, lockedRows);
      for (const [index, request] of group.entries()) this.#settle(request, results[index]!);
    } catch (error) {
      const isRetriedAlone = group.length > 1 && this.#options.isCausedByItem(error);
      for (const request of group)
        this.#settle(request, isRetriedAlone ? { status: 'locked' } : { status: 'refused', error });
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
    while (this.#isStopped || this.#lockWaits < maxLockWaits) {
      const request = this.#removeFirst(this.#blocked);
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

/** `timeout` of a request whose caller no longer waits. */
export function deadlinePassed(): AppError {
  return new AppError('timeout', 'The deadline passed while the request waited for others; nothing was done.');
}
