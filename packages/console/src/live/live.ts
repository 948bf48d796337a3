import type { QueryClient } from '@tanstack/react-query';
import { basePath } from '../api/client.ts';
import { setNeedsLogin } from '../app/session.ts';
import { channel } from './channel.ts';
import { changedKeys, type LiveEvent } from './events.ts';
import { rememberChange } from './recent-changes.ts';

/** Events within this time are read for together. The first one of a burst does not wait. */
const gatherMs = 100;

/** After a refusal (429, 503). Visible tabs poll meanwhile. */
const retryMs = 10_000;

/** How often an open screen reads again. The stream has only the events that its caller may read. */
export const refetchMs = 30_000;

/** As refetchMs, while no event arrives: without Web Locks (plain HTTP), and after a refusal. */
const pollMs = 5_000;

/**
 * Keeps the queries of this tab current. One tab of the browser reads the event stream, since HTTP/1.1 allows six
 * connections for all tabs. States of a tab:
 *
 *   waiting  Another tab has the Web Lock. Events come by the channel.
 *   holding  This tab has the lock and the stream, and tells the others.
 *   polling  There are no Web Locks, or the server refused the stream: the tab reads again every 5 s while visible.
 *
 * A lost stream is opened again by the browser, with the id of the last event. After `skipped`, and after a stream that
 * was opened anew, everything is read again.
 */
export function startLive(queries: QueryClient): () => void {
  const ended = new AbortController();
  const gather = createGatherer((keys) => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
  });

  const receive = (events: LiveEvent[]) => {
    for (const event of events) rememberChange(event);
    gather(events.flatMap(changedKeys));
  };
  const readAll = () => void queries.invalidateQueries();

  const stopListening = channel.listen((message) => {
    if (message.kind === 'events') receive(message.events);
    if (message.kind === 'skipped') readAll();
    if (message.kind === 'session-changed') location.reload();
  });

  const setPolling = (isPolling: boolean) => {
    queries.setDefaultOptions({
      queries: { ...queries.getDefaultOptions().queries, refetchInterval: isPolling ? pollMs : refetchMs },
    });
  };

  const toAll = (message: { kind: 'events'; events: LiveEvent[] } | { kind: 'skipped' }) => {
    if (message.kind === 'events') receive(message.events);
    else readAll();
    channel.post(message);
  };

  setPolling(!('locks' in navigator));
  void navigator.locks
    ?.request('yardarm-live', { signal: ended.signal }, async () => {
      while (!ended.signal.aborted) {
        await readStream(toAll, () => setPolling(false), ended.signal);
        if (ended.signal.aborted) return;
        setPolling(true);
        await waitMs(retryMs, ended.signal);
        toAll({ kind: 'skipped' });
      }
    })
    .catch(() => undefined);

  return () => {
    ended.abort();
    stopListening();
  };
}

/** Reads the stream until the server refuses it or the signal is aborted. */
function readStream(
  tell: (message: { kind: 'events'; events: LiveEvent[] } | { kind: 'skipped' }) => void,
  opened: () => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(`${basePath}/api/admin/events/stream`);
    const end = () => {
      source.close();
      resolve();
    };
    source.onopen = opened;
    source.onmessage = ({ data }) => tell({ kind: 'events', events: [slim(JSON.parse(data))] });
    source.addEventListener('skipped', () => tell({ kind: 'skipped' }));
    source.onerror = () => {
      // The browser opens a broken stream again. An answer that is not 200 closes it for good.
      if (source.readyState !== EventSource.CLOSED) return;
      void fetch(`${basePath}/api/admin/user`, { method: 'HEAD' }).then(
        ({ status }) => status === 401 && setNeedsLogin(true),
        () => undefined,
      );
      end();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}

/** The parts of an event that tabs need. preData and data of an event can be large. */
function slim({ id, type, createdAt, createdBy, createdByUserId, project, featureName, environment }: LiveEvent) {
  return { id, type, createdAt, createdBy, createdByUserId, project, featureName, environment };
}

function createGatherer(flush: (keys: (readonly unknown[])[]) => void) {
  let waiting: Map<string, readonly unknown[]> | null = null;
  return (keys: (readonly unknown[])[]) => {
    if (waiting !== null) {
      for (const key of keys) waiting.set(JSON.stringify(key), key);
      return;
    }
    flush(keys);
    waiting = new Map();
    setTimeout(() => {
      const rest = [...waiting!.values()];
      waiting = null;
      if (rest.length > 0) flush(rest);
    }, gatherMs);
  };
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
