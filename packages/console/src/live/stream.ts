import { basePath } from '../api/client.ts';
import type { LiveEvent } from './events.ts';

interface Handlers {
  onEvent: (event: LiveEvent) => void;
  /** The stream has begun anew, or has left out events: those in between are unknown. */
  onGap: () => void;
  onState: (isOpen: boolean) => void;
}

/**
 * Reads the stream of events until the server refuses it or the signal is aborted. The browser opens a broken stream
 * again.
 */
export function readStream({ onEvent, onGap, onState }: Handlers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const source = new EventSource(`${basePath}/api/admin/events/stream`);
    const end = () => {
      signal.removeEventListener('abort', end);
      source.close();
      onState(false);
      resolve();
    };
    source.onopen = () => {
      onState(true);
      onGap();
    };
    source.onmessage = ({ data }) => onEvent(slim(JSON.parse(data)));
    source.addEventListener('skipped', onGap);
    source.onerror = () => {
      // An answer that is not 200 closes it for good.
      if (source.readyState === EventSource.CLOSED) end();
      else onState(false);
    };
    signal.addEventListener('abort', end);
  });
}

/** The parts of an event that tabs need. preData and data of an event can be large. */
function slim({ id, type, createdAt, createdBy, createdByUserId, project, featureName, environment }: LiveEvent) {
  return { id, type, createdAt, createdBy, createdByUserId, project, featureName, environment };
}
