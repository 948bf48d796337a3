import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { environmentsQuery } from '../api/queries.ts';
import { sayNotDone } from '../save/say-not-done.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { EditedInDialog } from '../ui/edited.tsx';
import { MenuItem } from '../ui/menu.tsx';
import { MoreMenu } from '../ui/more-menu.tsx';
import { sayDone } from '../ui/toasts.tsx';
import { CloneEnvironment } from './clone-environment.tsx';
import { EditEnvironment } from './edit-environment.tsx';
import type { Environment } from './environment.ts';
import { movedTo } from './order.ts';

interface Props {
  environment: Environment;
  environments: Environment[];
  missing: string | null;
}

/** What can be done with an environment. */
export function EnvironmentMenu({ environment, environments, missing }: Props) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<'edit' | 'clone' | 'delete' | null>(null);
  const { name, projectCount } = environment;
  const names = environments.map((each) => each.name);
  const position = names.indexOf(name);
  const readAgain = () => queries.invalidateQueries({ queryKey: environmentsQuery.queryKey });
  const move = useMutation({
    mutationFn: (to: number) =>
      write(() => api.PUT('/api/admin/environments/sort-order', { body: movedTo(names, name, to) })),
    onError: (error) => sayNotDone(`the environment ${name}`, 'moved', error),
    onSettled: readAgain,
  });
  const close = () => setOpened(null);
  const cannotDelete = environment.protected
    ? 'It is protected.'
    : projectCount > 0
      ? 'Projects have it. Take it out of them first.'
      : null;
  return (
    <>
      <MoreMenu label={name}>
        {position > 0 && (
          <MenuItem offBecause={missing} onClick={() => move.mutate(position - 1)}>
            Move up
          </MenuItem>
        )}
        {position < names.length - 1 && (
          <MenuItem offBecause={missing} onClick={() => move.mutate(position + 1)}>
            Move down
          </MenuItem>
        )}
        <MenuItem offBecause={missing} onClick={() => setOpened('edit')}>
          Change the type …
        </MenuItem>
        <MenuItem offBecause={missing} onClick={() => setOpened('clone')}>
          Clone …
        </MenuItem>
        <MenuItem isDangerous offBecause={missing ?? cannotDelete} onClick={() => setOpened('delete')}>
          Delete …
        </MenuItem>
      </MoreMenu>
      {opened === 'edit' && (
        <EditedInDialog what="this environment" now={environment} settingsOf={({ type }) => type}>
          {(before) => <EditEnvironment environment={before} onClose={close} />}
        </EditedInDialog>
      )}
      {opened === 'clone' && <CloneEnvironment source={name} onClose={close} />}
      <DeleteDialog
        what={`the environment ${name}`}
        isOpen={opened === 'delete'}
        onClose={close}
        send={() => write(() => api.DELETE('/api/admin/environments/{name}', { params: { path: { name } } }))}
        onDone={() => {
          sayDone(`The environment ${name} was deleted.`);
          void readAgain();
        }}
      >
        No project has it. API tokens of this environment no longer work.
      </DeleteDialog>
    </>
  );
}
