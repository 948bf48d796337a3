import type { LiveEvent } from './events.ts';

/** What the tabs of one browser tell each other. */
export type Message =
  | { kind: 'events'; events: LiveEvent[] }
  /** Events may be missing, so everything is read again. */
  | { kind: 'skipped' }
  /** Whether the tab that holds the stream gets events. */
  | { kind: 'stream'; isOpen: boolean }
  /** A new tab asks for the message `stream`. */
  | { kind: 'which-stream' }
  /** Whose session the cookie is now. */
  | { kind: 'session'; userId: number | null };

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
