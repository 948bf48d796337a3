import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { savedViewsQuery } from '../../api/queries.ts';
import { sayNotDone } from '../../save/say-not-done.ts';
import { DeleteDialog } from '../../ui/delete-dialog.tsx';
import { isolated } from '../../ui/direction.ts';
import { MenuItem } from '../../ui/menu.tsx';
import { MoreMenu } from '../../ui/more-menu.tsx';
import { sayDone } from '../../ui/toasts.tsx';
import { NameView } from './name-view.tsx';
import type { SavedView } from './saved-view.ts';

type Definition = Pick<SavedView, 'name' | 'project' | 'query'>;

interface Props {
  view: SavedView;
  /** The list that is shown. */
  present: Pick<SavedView, 'project' | 'query'>;
  onReplaced: () => void;
  onDeleted: () => void;
}

/** What can be done with a saved view. It is of the user alone, so it needs no review. */
export function SavedViewMenu({ view, present, onReplaced, onDeleted }: Props) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState<'rename' | 'delete' | null>(null);
  const readAgain = () => queries.invalidateQueries({ queryKey: savedViewsQuery.queryKey });
  const name = isolated(view.name);
  const params = { path: { id: `${view.id}` } };
  const put = ({ name, project, query }: Definition) =>
    write(() => api.PUT('/api/admin/user/views/{id}', { params, body: { name, project, query } }));
  const replace = useMutation({
    mutationFn: put,
    onError: (error) => sayNotDone(`the view ${name}`, 'changed', error),
    onSettled: readAgain,
  });
  const sayReplaced = () => {
    onReplaced();
    sayDone(`The view ${name} has these filters now.`, () => replace.mutate(view));
  };
  const close = () => setOpened(null);
  return (
    <>
      <MoreMenu label={`the view ${name}`}>
        <MenuItem onClick={() => replace.mutate({ ...view, ...present }, { onSuccess: sayReplaced })}>
          Replace by these filters
        </MenuItem>
        <MenuItem onClick={() => setOpened('rename')}>Rename …</MenuItem>
        <MenuItem isDangerous onClick={() => setOpened('delete')}>
          Delete …
        </MenuItem>
      </MoreMenu>
      {opened === 'rename' && (
        <NameView
          title={`Rename the view ${name}`}
          submit="Rename"
          initial={view.name}
          send={(chosen) => put({ ...view, name: chosen })}
          onDone={(renamed) => sayDone(`The view is called ${isolated(renamed.name)} now.`)}
          onClose={close}
        />
      )}
      <DeleteDialog
        what={`the view ${name}`}
        isOpen={opened === 'delete'}
        onClose={close}
        send={() => write(() => api.DELETE('/api/admin/user/views/{id}', { params }))}
        onDone={() => {
          sayDone(`The view ${name} was deleted.`);
          onDeleted();
          void readAgain();
        }}
      >
        Only you have it. No flag changes.
      </DeleteDialog>
    </>
  );
}
