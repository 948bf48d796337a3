import { eventually } from './eventually.ts';

export interface StreamedEvent {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read properties of events and compare them.
  data: any;
}

/** A client of server-sent events that keeps all it got. */
export interface EventStream {
  status: number;
  headers: Headers;
  events: StreamedEvent[];
  isEnded(): boolean;
  /** Waits until there are this many events, and returns the last of them. */
  waitFor(count: number): Promise<StreamedEvent>;
  close(): void;
}

/** The events of an answer, without comments, until it ends. */
export async function* readEvents(body: NonNullable<Response['body']>): AsyncGenerator<StreamedEvent> {
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + part).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s, 2)));
      if (fields.data !== undefined) yield { ...fields, data: JSON.parse(fields.data) };
    }
  }
}

/** Opens a stream. An answer without an event stream has a status and no events. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const events: StreamedEvent[] = [];
  let isEnded = false;
  const reading = async () => {
    for await (const event of readEvents(response.body!)) events.push(event);
  };
  reading()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true;
    });
  return {
    status: response.status,
    headers: response.headers,
    events,
    isEnded: () => isEnded,
    waitFor: (count) =>
      eventually(() => {
        if (events.length < count) throw new Error(`${events.length} instead of ${count} events`);
        return events[count - 1]!;
      }),
    close: () => controller.abort(),
  };
}
