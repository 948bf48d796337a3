import type { SwitchingPayload } from '../load/switches.ts';
import type { Api } from './api.ts';
import type { Endpoint } from './signals.ts';

const path = '/api/admin/projects/default/actions';

/** The root role Editor, which may switch the flags of the project default. */
const editor = 2;

/** The paths of the fields of the payload. */
const state = 'alert.state';
const flag = '{{payload.alert.labels.flag}}';

/** A service account as whom the actions run. */
export async function makeActor(api: Api): Promise<number> {
  const account = { username: `bench-actor-${Date.now()}`, name: 'The actor of the bench', rootRole: editor };
  return (await api.call<{ id: number }>('POST', '/api/admin/service-account', account)).id;
}

/** Makes an action set for each endpoint, which switches the flag that a signal names. Returns how to delete them. */
export async function makeActionSets(
  api: Api,
  endpoints: readonly Endpoint[],
  actorId: number,
  { isOn }: { isOn: boolean },
): Promise<() => Promise<void>> {
  const ids: number[] = [];
  const firing: SwitchingPayload['alert']['state'] = 'firing';
  for (const { id: sourceId, name } of endpoints) {
    const made = await api.call<{ id: number }>('POST', path, {
      ...{ name: `Switch by ${name}`, actorId, enabled: true },
      match: { source: 'signal-endpoint', sourceId, payload: { [state]: { operator: 'IN', values: [firing] } } },
      actions: [
        {
          ...{ action: isOn ? 'TOGGLE_FEATURE_ON' : 'TOGGLE_FEATURE_OFF', sortOrder: 1 },
          executionParams: { project: 'default', environment: 'development', featureName: flag },
        },
      ],
    });
    ids.push(made.id);
  }
  return async () => {
    for (const id of ids) await api.call('DELETE', `${path}/${id}`);
  };
}
