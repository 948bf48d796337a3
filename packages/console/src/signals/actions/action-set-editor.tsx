import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { actionSetsQuery } from '../../api/signal-queries.ts';
import { isolated } from '../../ui/direction.ts';
import { Edited } from '../../ui/edited.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import styles from './action-set.module.css';
import { ActionSetForm } from './action-set-form.tsx';
import { ActionSetRuns } from './action-set-runs.tsx';
import { type ActionSet, bodyOf, type Definitions, type Draft, draftOf, emptyDraft } from './draft.ts';
import { DryRun } from './dry-run.tsx';

const route = getRouteApi('/projects/$projectId/actions/$actionSetId');

interface Props {
  projectId: string;
  /** What the server has; undefined for a new set. */
  now: ActionSet | undefined;
  definitions: Definitions;
}

/** What a person edits of a set. Its switch and its times are not. */
const settingsOf = ({ name, description, actorId, match, actions, cooldownSeconds }: ActionSet) => ({
  ...{ name, description, actorId, match, cooldownSeconds },
  actions: actions.map(({ action, sortOrder, executionParams }) => ({ action, sortOrder, executionParams })),
});

/** A set while it is edited: its form, what it would do with a stored signal, and what it did. */
export function ActionSetEditor({ now, ...props }: Props) {
  const queries = useQueryClient();
  if (now === undefined) return <Editor {...props} now={now} before={now} />;
  const read = () => queries.getQueryData(actionSetsQuery(props.projectId).queryKey)?.find(({ id }) => id === now.id);
  return (
    <Edited what="this set" {...{ now, read, settingsOf }}>
      {(before, onSaved) => <Editor {...props} {...{ now, before, onSaved }} />}
    </Edited>
  );
}

interface EditorProps extends Props {
  /** What the form begins with. */
  before: ActionSet | undefined;
  onSaved?: () => void;
}

function Editor({ projectId, now, before, definitions, onSaved }: EditorProps) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const { endpoint = '' } = route.useSearch();
  const [initial, setInitial] = useState(() => (before === undefined ? emptyDraft(endpoint) : draftOf(before)));
  const [draft, setDraft] = useState(initial);
  const save = useMutation({
    mutationFn: (sent: Draft) => {
      // Whether it is on has a switch of its own.
      const body = { ...bodyOf(sent, projectId, definitions), enabled: now?.enabled ?? sent.enabled };
      const url = '/api/admin/projects/{projectId}/actions';
      if (now === undefined) return write(() => api.POST(url, { params: { path: { projectId } }, body }));
      const path = { projectId, actionSetId: `${now.id}` };
      return write(() => api.PUT(`${url}/{actionSetId}`, { params: { path }, body }));
    },
    async onSuccess(saved, sent) {
      const fresh = draftOf(saved);
      setInitial(fresh);
      // What was typed while it was saved stays.
      setDraft((typed) => (typed === sent ? fresh : typed));
      await queries.invalidateQueries({ queryKey: actionSetsQuery(projectId).queryKey });
      sayDone(`The action set ${isolated(saved.name)} was saved.`);
      if (now !== undefined) return onSaved?.();
      const params = { projectId, actionSetId: `${saved.id}` };
      await navigate({ to: '/projects/$projectId/actions/$actionSetId', params, ignoreBlocker: true });
    },
  });
  return (
    <>
      <LeaveGuard isDirty={draft !== initial} />
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
