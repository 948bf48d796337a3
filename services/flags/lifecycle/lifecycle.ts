import type { LifecycleStage, LifecycleStageName } from '@yardarm/shared/contracts/flags';

/** A stage as statements return it. */
export interface StoredStage {
  stage: LifecycleStageName;
  status: string | null;
  /** As JSON has it. */
  enteredAt: string;
}

export function toLifecycleStage({ stage, status, enteredAt }: StoredStage): LifecycleStage {
  return { stage, ...(status !== null && { status }), enteredStageAt: new Date(enteredAt).toISOString() };
}
