import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, write } from '../api/client.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { CloseButton, Dialog, DialogActions, isSent } from '../ui/dialog.tsx';
import { isolated } from '../ui/direction.ts';
import { Failed } from '../ui/shown.tsx';
import { sayDone } from '../ui/toasts.tsx';
import type { Integration } from './draft.ts';
import { destinationWords, filterWords } from './filter-words.ts';
import { useReadAgain } from './use-save-integration.ts';

export function DeleteIntegration({ integration, name }: { integration: Integration; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  const navigate = useNavigate();
  const readAgain = useReadAgain();
  const remove = useMutation({
    mutationFn: () =>
      write(() => api.DELETE('/api/admin/addons/{id}', { params: { path: { id: String(integration.id) } } })),
    async onSuccess() {
      sayDone(`${isolated(name)} was deleted.`);
      await navigate({ to: '/integrations', ignoreBlocker: true });
    },
    onSettled: readAgain,
  });
  return (
    <>
      <Button look="danger" offBecause={missing('DELETE_ADDON')} onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Dialog
        title={`Delete ${isolated(name)}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        staysBecause={remove.isPending ? isSent.request : null}
      >
        {integration.description && <p>{integration.description}</p>}
        <p>
          {filterWords(integration)} {destinationWords(integration)}
        </p>
        <p>
          It is sent nothing more, also not what waits. Its secrets are deleted, and so is the list of what was sent.
        </p>
        {remove.error !== null && <Failed error={remove.error} />}
        <DialogActions>
          <CloseButton />
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
