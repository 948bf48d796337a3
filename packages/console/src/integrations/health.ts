import type { Schemas } from '../api/client.ts';
import type { Integration } from './draft.ts';

export type IntegrationState = Schemas['addonStateSchema'];

export interface Health {
  look: 'plain' | 'good' | 'warning' | 'danger';
  label: string;
  /** What it means, as a sentence. */
  means: string;
}

/** How an integration does, in words. */
export function healthOf({ enabled }: Pick<Integration, 'enabled'>, state: IntegrationState): Health {
  if (!enabled) return { look: 'plain', label: 'Off', means: 'Nothing is sent.' };
  const { circuit, failures, lastOutcome } = state;
  const inARow = failures === 1 ? 'The last attempt failed.' : `The last ${failures.toLocaleString()} attempts failed.`;
  if (circuit === 'open') {
    return { look: 'danger', label: 'Paused', means: `${inARow} Nothing is sent until the pause ends.` };
  }
  if (circuit === 'half-open') {
    return { look: 'danger', label: 'Probing', means: `${inARow} One delivery at a time is sent to try.` };
  }
  if (failures > 0) return { look: 'warning', label: 'Failing', means: inARow };
  if (lastOutcome === null) return { look: 'plain', label: 'Nothing sent yet', means: 'No event has matched yet.' };
  if (lastOutcome.state === 'failed') {
    return { look: 'warning', label: 'Last one failed', means: 'The newest delivery has not succeeded.' };
  }
  if (lastOutcome.state === 'successWithErrors') {
    return { look: 'warning', label: 'Partly sent', means: 'The newest delivery reached only some of its targets.' };
  }
  return { look: 'good', label: 'Working', means: 'The newest delivery succeeded.' };
}

/** As the API counts them. */
const maxCounted = 10_000;

/** How many deliveries wait, in words; null for none. */
export function waitingWords({ waiting }: Pick<IntegrationState, 'waiting'>): string | null {
  if (waiting === 0) return null;
  if (waiting >= maxCounted) return `${maxCounted.toLocaleString()} or more wait`;
  return waiting === 1 ? 'One waits' : `${waiting.toLocaleString()} wait`;
}
