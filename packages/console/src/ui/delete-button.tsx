import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog, DialogActions } from './dialog.tsx';
import { Failed } from './shown.tsx';

interface Props {
  /** What is deleted, as in `the endpoint alerts`. */
  what: string;
  /** Why it cannot be deleted, as a sentence. */
  offBecause: string | null;
  look?: 'danger' | 'quiet';
  send: () => Promise<unknown>;
  onDone: () => void;
  /** What is lost. */
  children: ReactNode;
}

/** Deletes something after a question that says what is lost. */
export function DeleteButton({ what, offBecause, look = 'danger', send, onDone, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: send,
    onSuccess() {
      setOpen(false);
      onDone();
    },
  });
  return (
    <>
      <Button look={look} offBecause={offBecause} onClick={() => setOpen(true)}>
        Delete<span className="visually-hidden"> {what}</span>
      </Button>
      <Dialog title={`Delete ${what}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <p>{children}</p>
        {remove.error !== null && <Failed error={remove.error} />}
        <DialogActions>
          <Button onClick={() => setOpen(false)}>Cancel</Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
