import { readEvents, type StreamedEvent } from '@yardarm/testing';

/** As the Node SDK: the first pause, doubled with each failure up to the longest, less a random half. */
const firstPauseMs = 2_000;
const longestPauseMs = 30_000;
const jitter = 0.5;

/** An SDK that streams, reduced to what it got. It connects again after the end of each stream. */
export class StreamingSdk {
  readonly flags = new Map<string, string>();
  /** How many streams it was given. */
  streams = 0;
  /** Why each of its streams ended, or was refused. */
  readonly ends: string[] = [];
  hydrations = 0;
  /** How many changes its streams began with, apart from hydrations. */
  missed = 0;
  /** The revisions of all events, in the order of their arrival. */
  readonly revisions: number[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #controller = new AbortController();
  #lastEventId: string | undefined;
  #failures = 0;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    void this.#run();
  }

  stop(): void {
    this.#controller.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#controller;
    while (!signal.aborted) {
      await this.#stream().catch((error: Error) => {
        const cause = error.cause instanceof Error ? error.cause : error;
        this.ends.push(cause.message);
      });
      const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs);
      this.#failures += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (1 - jitter * Math.random())));
    }
  }

  async #stream(): Promise<void> {
    const headers = {
      authorization: this.#token,
      ...(this.#lastEventId !== undefined && { 'last-event-id': this.#lastEventId }),
    };
    const response = await fetch(this.#url, { headers, signal: this.#controller.signal });
    if (response.status !== 200) throw new Error(`the stream answered ${response.status}`);
    this.#failures = 0;
    this.streams += 1;
    for await (const event of readEvents(response.body!)) this.#apply(event);
  }

  #apply({ id, event, data }: StreamedEvent): void {
    this.#lastEventId = id;
    this.revisions.push(Number(id.split(':')[1]));
    for (const { type, feature, features } of data.events) {
      if (type === 'hydration') this.hydrations += 1;
      else if (event === 'unleash-connected') this.missed += 1;
      for (const { name, description } of features ?? [feature]) this.flags.set(name, description);
    }
  }
}
