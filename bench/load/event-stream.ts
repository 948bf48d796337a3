export interface EventStream {
  /** Rejects when the stream ends before the signal aborts. */
  ended: Promise<void>;
}

/** Opens a stream of server-sent events and passes the data of each to `onData` until the signal aborts. */
export async function openEventStream(
  url: string,
  token: string,
  onData: (data: string) => void,
  signal: AbortSignal,
): Promise<EventStream> {
  const response = await fetch(url, { headers: { authorization: token }, signal });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  // Piped at once: fetch ends an unread body when its Response is garbage-collected.
  return { ended: read(url, response.body!.pipeThrough(new TextDecoderStream()), onData, signal) };
}

async function read(
  url: string,
  stream: ReadableStream<string>,
  onData: (data: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let text = '';
  try {
    for await (const part of stream) {
      const blocks = (text + part).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) onData(data);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  if (!signal.aborted) throw new Error(`${url} ended`);
}
