import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, write } from '../../api/client.ts';
import { actionSetsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { sayNotDone } from '../../save/say-not-done.ts';
import { isolated } from '../../ui/direction.ts';
import { Switch } from '../../ui/switch.tsx';
import styles from '../endpoints/endpoint-switch.module.css';
import type { ActionSet } from './draft.ts';

/** Whether an action set reacts to signals. */
export function ActionSetSwitch({ set: { id, name, project, enabled } }: { set: ActionSet }) {
  const queries = useQueryClient();
  const missing = useMissing();
  const params = { path: { projectId: project, actionSetId: `${id}` } };
  const url = '/api/admin/projects/{projectId}/actions/{actionSetId}';
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `action set ${id}` },
    mutationFn: (isOn: boolean) =>
      write(() => (isOn ? api.POST(`${url}/on`, { params }) : api.POST(`${url}/off`, { params }))),
    onError: (error, isOn) => sayNotDone(`the action set ${isolated(name)}`, `switched ${isOn ? 'on' : 'off'}`, error),
    onSettled: () => queries.invalidateQueries({ queryKey: actionSetsQuery(project).queryKey }),
  });
  const isOn = change.isPending ? change.variables : enabled;
  return (
    <div className={styles.switch}>
      <Switch
        label={`Action set ${isolated(name)}`}
        isOn={isOn}
        onChange={(wanted) => change.mutate(wanted)}
        offBecause={missing('ADMIN')}
      />
      <span>{isOn ? 'on' : 'off: reacts to nothing'}</span>
    </div>
  );
}
