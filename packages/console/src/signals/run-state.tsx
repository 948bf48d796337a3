import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';

type State = Schemas['signalQueryRunSchema']['state'] | 'not started';

const looks = { success: 'good', failed: 'danger', started: 'warning', 'not started': 'plain' } as const;

/** How far a run or one of its steps is. */
export function RunState({ state }: { state: State }) {
  return <Badge look={looks[state]}>{state === 'success' ? 'done' : state === 'started' ? 'running' : state}</Badge>;
}
