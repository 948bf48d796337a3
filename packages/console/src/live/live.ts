import type { QueryClient } from '@tanstack/react-query';
import { loginNeeded, whenLoggedIn } from '../api/login-needed.ts';
import { meQuery } from '../api/queries.ts';
import { channel, type Message } from './channel.ts';
import { changedKeys } from './events.ts';
import { createGatherer } from './gather.ts';
import { liveStream } from './live-stream.ts';
import { readAgain } from './read-again.ts';
import { forgetChanges, rememberChange } from './recent-changes.ts';
import { readStream } from './stream.ts';
import { waitMs } from './wait-ms.ts';

/** Within this time a page reads once. */
const gatherMs = 100;

/** After a refusal (429, 503). Tabs poll meanwhile. */
const retryMs = 10_000;

/** How often an open screen reads again while no stream is open. Otherwise it does so after `refetchMs`. */
const pollMs = 5_000;

/**
 * Keeps the queries of this tab current. One tab of the browser reads the event stream, since HTTP/1.1 allows six
 * connections for all tabs. A tab
 *
 *   waits  for the Web Lock, which another tab has. Events come by the channel.
 *   holds  the lock and the stream, and tells the others.
 *
 * Each tab knows whether a stream is open. While none is, a tab that is seen reads everything again every 5 s: browsers
 * have no Web Locks by plain HTTP, and the server may refuse the stream or be away. A stream that ends with its session
 * is opened again after the login.
 */
export function startLive(queries: QueryClient): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const gather = createGatherer(gatherMs, (keys) => {
    for (const key of keys) readAgain(queries, key);
  });
  let isHolder = false;
  const me = () => queries.getQueryData(meQuery.queryKey)?.user.id;

  const receive = (message: Message) => {
    switch (message.kind) {
      case 'events':
        for (const event of message.events) rememberChange(event);
        gather(message.events.flatMap((event) => changedKeys(event, me())));
        break;
      case 'skipped':
        forgetChanges();
        readAgain(queries);
        break;
      case 'stream':
        liveStream.setOpen(message.isOpen);
        if (!message.isOpen) forgetChanges();
        break;
      case 'which-stream':
        if (isHolder) channel.post({ kind: 'stream', isOpen: liveStream.isOpen() });
    }
  };
  const stopListening = channel.listen(receive);
  channel.post({ kind: 'which-stream' });

  const poll = setInterval(() => {
    if (!liveStream.isOpen() && !document.hidden && !loginNeeded.is()) readAgain(queries);
  }, pollMs);

  const toAll = (message: Message) => {
    receive(message);
    channel.post(message);
  };
  const hold = async () => {
    isHolder = true;
    while (!signal.aborted) {
      await whenLoggedIn();
      if (signal.aborted) return;
      await readStream(
        {
          onEvent: (event) => toAll({ kind: 'events', events: [event] }),
          onGap: () => toAll({ kind: 'skipped' }),
          onState: (isOpen) => toAll({ kind: 'stream', isOpen }),
        },
        signal,
      );
      if (signal.aborted) return;
      // Its answer tells whether the session has ended.
      if (!loginNeeded.is()) await queries.refetchQueries({ queryKey: meQuery.queryKey });
      if (!loginNeeded.is()) await waitMs(retryMs, signal);
    }
  };
  navigator.locks?.request('yardarm-live', { signal }, hold).catch(() => undefined);

  return () => {
    ended.abort();
    clearInterval(poll);
    stopListening();
  };
}
