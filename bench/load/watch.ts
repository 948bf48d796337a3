// The changes of one job, and when each became visible in each place.
import type { Seen } from './jobs.ts';

/** A change that is not visible by then counts as missing. */
export const visibilityLimitMs = 10_000;

/** The text contains the process id: the text of an earlier run would be no change. */
export const stampOf = (n: number) => `stamp-${process.pid}-${n}-end`;
const stampPattern = /stamp-\d+-\d+-end/g;

export interface Change {
  stamp: string;
  flag: string;
  /** When the PATCH was answered, by performance.now(); null until then. */
  answeredAt: number | null;
  isMeasured: boolean;
  /** When each gateway first listed it, sent it to an SDK that streams, and streamed its event. */
  listedAt: (number | null)[];
  sentToSdkAt: (number | null)[];
  streamedAt: (number | null)[];
  /** When the webhook got it, and when the first search found it. */
  webhookAt: number | null;
  searchedAt: number | null;
  isSearched: boolean;
}

/** The part of a webhook's or stream's event that identifies a change. */
interface EventOfChange {
  data: { description?: string } | null;
}

/** The changes, and where each has become visible. */
export class Watch {
  readonly changes: Change[] = [];
  readonly #unlisted: Set<Change>[];

  constructor(gateways: number) {
    this.#unlisted = Array.from({ length: gateways }, () => new Set());
  }

  add(change: Change): void {
    this.changes.push(change);
    for (const unlisted of this.#unlisted) unlisted.add(change);
  }

  /**
   * Notes a complete listing of a gateway. A later change of the same flag would hide an earlier one, but changes cycle
   * through all flags, so the next one comes too late to hide it.
   */
  sawListing(gateway: number, listing: Buffer): void {
    const now = performance.now();
    for (const change of this.#unlisted[gateway]!) {
      if (!listing.includes(change.stamp)) continue;
      change.listedAt[gateway] = now;
      this.#unlisted[gateway]!.delete(change);
    }
  }

  sawStreamed(gateway: number, data: string): void {
    const change = this.#changeOf(JSON.parse(data));
    if (change) change.streamedAt[gateway] ??= performance.now();
  }

  /** Notes what a gateway sent to an SDK that streams. One message can have several changes. */
  sawSentToSdk(gateway: number, data: string): void {
    const now = performance.now();
    for (const [stamp] of data.matchAll(stampPattern)) {
      const change = this.#changeWith(stamp);
      if (change) change.sentToSdkAt[gateway] ??= now;
    }
  }

  sawWebhook(body: string): void {
    const change = this.#changeOf(JSON.parse(body));
    if (change) change.webhookAt ??= performance.now();
  }

  /** Other events have no data or no description. */
  #changeOf(event: EventOfChange): Change | undefined {
    return this.#changeWith(event.data?.description);
  }

  #changeWith(text: string | undefined): Change | undefined {
    return this.changes.find(({ stamp }) => stamp === text);
  }

  isComplete(): boolean {
    return this.changes.every(
      ({ answeredAt, listedAt, sentToSdkAt, streamedAt, webhookAt, searchedAt, isSearched }) =>
        answeredAt !== null &&
        ![...listedAt, ...sentToSdkAt, ...streamedAt, webhookAt].includes(null) &&
        (!isSearched || searchedAt !== null),
    );
  }
}

/** The error names at most this many missing changes and counts the rest. */
const maxNamed = 10;

/** Throws when a change did not become visible somewhere; the error names it and the place. */
export function throwIfUnseen(changes: readonly Change[], gateways: readonly string[]): void {
  const unseen = changes.flatMap((change) => {
    const { stamp, flag, answeredAt, listedAt, sentToSdkAt, streamedAt, webhookAt, searchedAt, isSearched } = change;
    const missing = [
      ...(answeredAt === null ? ['in an answer to its PATCH'] : []),
      ...gateways.filter((_, n) => listedAt[n] === null).map((url) => `in a listing of ${url}`),
      ...gateways.filter((_, n) => sentToSdkAt[n] === null).map((url) => `in the stream of an SDK of ${url}`),
      ...gateways.filter((_, n) => streamedAt[n] === null).map((url) => `in the event stream of ${url}`),
      ...(webhookAt === null ? ['at the webhook'] : []),
      ...(isSearched && searchedAt === null ? ['by a search'] : []),
    ];
    return missing.map((place) => `${stamp} of ${flag} ${place}`);
  });
  if (unseen.length === 0) return;
  const rest = unseen.length > maxNamed ? [`and ${unseen.length - maxNamed} more`] : [];
  const named = [...unseen.slice(0, maxNamed), ...rest].join('; ');
  throw new Error(`some of ${changes.length} changes were not visible within ${visibilityLimitMs / 1_000} s: ${named}`);
}

/** Delays of changes that are visible everywhere: 0 if visible before the answer; the later one of several gateways. */
export function delaysOf(changes: readonly Change[]): Seen {
  const since = ({ answeredAt }: Change, ...seenAt: (number | null)[]) =>
    Math.max(0, ...seenAt.map((at) => at! - answeredAt!));
  return {
    listing: changes.map((change) => since(change, ...change.listedAt)),
    sdkStream: changes.map((change) => since(change, ...change.sentToSdkAt)),
    stream: changes.map((change) => since(change, ...change.streamedAt)),
    search: changes.filter(({ isSearched }) => isSearched).map((change) => since(change, change.searchedAt)),
    webhook: changes.map((change) => since(change, change.webhookAt)),
  };
}
