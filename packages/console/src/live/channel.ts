import type { LiveEvent } from './events.ts';

/** What the tabs of one browser tell each other. */
export type Message = { kind: 'events'; events: LiveEvent[] } | { kind: 'skipped' } | { kind: 'session-changed' };

const broadcast = new BroadcastChannel('yardarm-console');

/** The channel between the tabs of this browser. A tab does not hear its own messages. */
export const channel = {
  post: (message: Message) => broadcast.postMessage(message),
  listen(listener: (message: Message) => void): () => void {
    const onMessage = ({ data }: MessageEvent<Message>) => listener(data);
    broadcast.addEventListener('message', onMessage);
    return () => broadcast.removeEventListener('message', onMessage);
  },
};
