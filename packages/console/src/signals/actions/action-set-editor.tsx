import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { actionSetsQuery } from '../../api/signal-queries.ts';
import { isolated } from '../../ui/direction.ts';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import styles from './action-set.module.css';
import { ActionSetForm } from './action-set-form.tsx';
import { ActionSetRuns } from './action-set-runs.tsx';
import { type ActionSet, bodyOf, type Definitions, draftOf, emptyDraft } from './draft.ts';
import { DryRun } from './dry-run.tsx';
import { SetChanged } from './set-changed.tsx';

const route = getRouteApi('/projects/$projectId/actions/$actionSetId');

interface Props {
  projectId: string;
  /** What the server has; undefined for a new set. */
  now: ActionSet | undefined;
  definitions: Definitions;
}

/** A set while it is edited: its form, what it would do with a stored signal, and what it did. */
export function ActionSetEditor({ projectId, now, definitions }: Props) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const { endpoint = '' } = route.useSearch();
  // What the person saw first. A later read does not replace what was typed.
  const [before, setBefore] = useState(now);
  const [initial, setInitial] = useState(() => (now === undefined ? emptyDraft(endpoint) : draftOf(now)));
  const [draft, setDraft] = useState(initial);
  const startFrom = (set: ActionSet) => {
    const fresh = draftOf(set);
    setBefore(set);
    setInitial(fresh);
    setDraft(fresh);
  };
  const save = useMutation({
    mutationFn: () => {
      // Whether it is on has a switch of its own.
      const body = { ...bodyOf(draft, projectId, definitions), enabled: now?.enabled ?? draft.enabled };
      const url = '/api/admin/projects/{projectId}/actions';
      if (now === undefined) return write(() => api.POST(url, { params: { path: { projectId } }, body }));
      const path = { projectId, actionSetId: `${now.id}` };
      return write(() => api.PUT(`${url}/{actionSetId}`, { params: { path }, body }));
    },
    async onSuccess(saved) {
      startFrom(saved);
      await queries.invalidateQueries({ queryKey: actionSetsQuery(projectId).queryKey });
      sayDone(`The action set ${isolated(saved.name)} was saved.`);
      if (now !== undefined) return;
      const params = { projectId, actionSetId: `${saved.id}` };
      await navigate({ to: '/projects/$projectId/actions/$actionSetId', params, ignoreBlocker: true });
    },
  });
  return (
    <>
      <LeaveGuard isDirty={draft !== initial && !save.isPending} />
      {before !== undefined && now !== undefined && !save.isPending && (
        <SetChanged {...{ before, now }} onTake={() => startFrom(now)} />
      )}
      <div className={styles.parts}>
        <ActionSetForm {...{ projectId, definitions, draft, save }} onChange={setDraft} />
        <div className={styles.beside}>
          <DryRun {...{ projectId, definitions, draft }} />
          {now !== undefined && <ActionSetRuns set={now} />}
        </div>
      </div>
    </>
  );
}
