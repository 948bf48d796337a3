import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { Button } from '../ui/button.tsx';
import { isolated } from '../ui/direction.ts';
import { sayDone } from '../ui/toasts.tsx';
import styles from './projects-page.module.css';

/** Says that a project is archived, and takes it out of the archive. */
export function ReviveProject({ id, name }: { id: string; name: string }) {
  const queries = useQueryClient();
  const missing = useMissing()('UPDATE_PROJECT', id);
  const revive = useMutation({
    mutationFn: () =>
      write(() => api.POST('/api/admin/projects/revive/{projectId}', { params: { path: { projectId: id } } })),
    onSuccess: () => sayDone(`The project ${isolated(name)} was revived. Its flags stay archived.`),
    onError: (error) => sayNotDone(`the project ${isolated(name)}`, 'revived', error),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <div className={styles.archived}>
      <p>This project is archived.</p>
      <Button offBecause={missing} isBusy={revive.isPending} onClick={() => revive.mutate()}>
        Revive<span className="visually-hidden"> the project {name}</span>
      </Button>
    </div>
  );
}
