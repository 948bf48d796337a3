import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, write } from '../../api/client.ts';
import { actionSetsQuery } from '../../api/signal-queries.ts';
import { useMissing } from '../../app/session.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { sayDone } from '../../ui/toasts.tsx';
import type { ActionSet } from './draft.ts';

export function DeleteActionSet({ set: { id, name, project } }: { set: ActionSet }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const params = { path: { projectId: project, actionSetId: `${id}` } };
  return (
    <DeleteButton
      what={`the action set ${isolated(name)}`}
      offBecause={useMissing()('ADMIN')}
      send={() => write(() => api.DELETE('/api/admin/projects/{projectId}/actions/{actionSetId}', { params }))}
      onDone={() => {
        sayDone(`The action set ${isolated(name)} was deleted.`);
        void navigate({ to: '/projects/$projectId/actions', params: { projectId: project }, ignoreBlocker: true });
        void queries.invalidateQueries({ queryKey: actionSetsQuery(project).queryKey });
      }}
    >
      It no longer reacts to signals, and its runs are not shown any more. A run that has begun fails before its next
      step.
    </DeleteButton>
  );
}
