import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { SubmitButton } from './send-again.tsx';
import { Failed } from './shown.tsx';

interface Props {
  /** What is deleted, as in `the endpoint alerts`. */
  what: string;
  isOpen: boolean;
  /** What is done with it, if it is not deleted. */
  verb?: string;
  send: () => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
  /** What is lost. */
  children: ReactNode;
}

/** The question before something is deleted. */
export function DeleteDialog({ what, isOpen, verb = 'Delete', send, onDone, onClose, children }: Props) {
  const remove = useMutation({
    mutationFn: send,
    onSuccess() {
      onClose();
      onDone();
    },
  });
  // What came of it would be said nowhere.
  const close = () => remove.isPending || onClose();
  return (
    <Dialog title={`${verb} ${what}?`} isOpen={isOpen} onClose={close}>
      <p>{children}</p>
      {remove.error !== null && <Failed error={remove.error} />}
      <DialogActions>
        <Button offBecause={remove.isPending ? 'The request is being sent.' : null} onClick={close}>
          Cancel
        </Button>
        <SubmitButton look="danger" mutation={remove} onClick={() => remove.mutate()}>
          {verb}
        </SubmitButton>
      </DialogActions>
    </Dialog>
  );
}
