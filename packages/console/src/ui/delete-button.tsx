import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { DeleteDialog } from './delete-dialog.tsx';

interface Props {
  /** What is deleted, as in `the endpoint alerts`. */
  what: string;
  /** Why it cannot be deleted, as a sentence. */
  offBecause: string | null;
  look?: 'danger' | 'quiet';
  /** What is done with it, if it is not deleted. */
  verb?: string;
  send: () => Promise<unknown>;
  onDone: () => void;
  /** What is lost. */
  children: ReactNode;
}

/** Deletes something after a question that says what is lost. */
export function DeleteButton({ offBecause, look = 'danger', verb = 'Delete', ...rest }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look={look} offBecause={offBecause} onClick={() => setOpen(true)}>
        {verb}
        <span className="visually-hidden"> {rest.what}</span>
      </Button>
      <DeleteDialog {...rest} {...{ verb, isOpen }} onClose={() => setOpen(false)} />
    </>
  );
}
