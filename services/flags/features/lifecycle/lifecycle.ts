import type { LifecycleStage, LifecycleStageName } from '@yardarm/shared/contracts/flags';

export interface StoredStage {
  stage: LifecycleStageName;
  status: string | null;
  /** When the flag entered the stage, as a date in JSON. */
  enteredAt: string;
}

export function toLifecycleStage({ stage, status, enteredAt }: StoredStage): LifecycleStage {
  return { stage, ...(status !== null && { status }), enteredStageAt: new Date(enteredAt).toISOString() };
}
