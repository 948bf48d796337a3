import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PersonalToken } from '../../api/admin-queries.ts';
import { fieldError, takenAt } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../secret-dialog.tsx';
import { type Expiry, expiresAt } from './expiry.ts';
import { ExpiryField } from './expiry-field.tsx';

interface Props {
  /** Whose token it is, as in `of the account deploys`. */
  whose: string;
  offBecause?: string | null;
  send: (body: { description: string; expiresAt: string }) => Promise<PersonalToken>;
  onMade: () => void;
}

/** A button that opens the form of a new token of a user or a service account. Its secret is shown once. */
export function NewPersonalToken(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)} offBecause={props.offBecause}>
        New token<span className="visually-hidden"> {props.whose}</span>
      </Button>
      {isOpen && <NewPersonalTokenForm {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function NewPersonalTokenForm({ whose, send, onMade, onClose }: Props & { onClose: () => void }) {
  const [description, setDescription] = useState('');
  const [expiry, setExpiry] = useState<Expiry>({ kind: '90', date: '' });
  const make = useMutation({
    mutationFn: () => send({ description, expiresAt: expiresAt(expiry)! }),
    onSuccess: () => onMade(),
    gcTime: 0,
  });
  if (make.data?.secret !== undefined) {
    return (
      <SecretDialog title={`Token ${make.data.description}`} what="token" secret={make.data.secret} onClose={onClose}>
        <strong>Copy the token now.</strong> It is not shown again; whoever loses it makes a new one.
      </SecretDialog>
    );
  }
  const error = takenAt('description', make.error);
  return (
    <FormDialog
      title={`New token ${whose}`}
      submit="Make token"
      mutation={{ ...make, error }}
      names={['description', 'expiresAt']}
      onClose={onClose}
    >
      <TextField
        label="Description"
        required
        maxLength={255}
        hint="What uses it, such as deploy pipeline"
        error={fieldError(error, 'description')}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <ExpiryField expiry={expiry} onChange={setExpiry} error={fieldError(error, 'expiresAt')} />
    </FormDialog>
  );
}
