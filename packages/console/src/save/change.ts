import { api, write } from '../api/client.ts';

/** The flag that is changed. */
export interface Target {
  project: string;
  feature: string;
}

/** A change of one flag, before it is saved. Every screen that changes a flag makes one of these. */
export type FlagChange = { kind: 'switch'; environment: string; environmentType: string; isOn: boolean };

/** What the change does, as a sentence that goes on after "This". */
export function describeChange({ feature }: Target, change: FlagChange): string {
  switch (change.kind) {
    case 'switch':
      return `switches ${feature} ${change.isOn ? 'on' : 'off'} in ${change.environment}`;
  }
}

/** Sends the change. Throws a Problem when it was refused, or when its outcome is unknown. */
export async function applyChange({ project, feature }: Target, change: FlagChange): Promise<void> {
  switch (change.kind) {
    case 'switch': {
      const path = { projectId: project, featureName: feature, environment: change.environment };
      const url = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
      await write(() =>
        change.isOn ? api.POST(`${url}/on`, { params: { path } }) : api.POST(`${url}/off`, { params: { path } }),
      );
    }
  }
}

/** The change that takes this one back; null if there is none. */
export function undoOf(change: FlagChange): FlagChange | null {
  switch (change.kind) {
    case 'switch':
      return { ...change, isOn: !change.isOn };
  }
}

/** Whether a person confirms the change before it is sent. Others are sent at once, with an undo. */
export function needsReview(change: FlagChange): boolean {
  return change.kind !== 'switch' || change.environmentType === 'production';
}
