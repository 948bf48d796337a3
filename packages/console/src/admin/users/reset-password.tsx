import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { User } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { nameOf } from '../names.ts';
import { SecretDialog } from '../secret-dialog.tsx';

/** A button that makes a link by which a user chooses a new password. */
export function ResetPassword({ user }: { user: User }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        Reset password<span className="visually-hidden"> of {nameOf(user)}</span>
      </Button>
      {isOpen && <ResetPasswordForm user={user} onClose={() => setOpen(false)} />}
    </>
  );
}

function ResetPasswordForm({ user, onClose }: { user: User; onClose: () => void }) {
  const name = nameOf(user);
  const make = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/user-admin/reset-password', { body: { id: `${user.id}` } })),
    gcTime: 0,
  });
  if (make.data !== undefined) {
    return (
      <SecretDialog title={`New password of ${name}`} what="link" secret={make.data.resetPasswordUrl} onClose={onClose}>
        <strong>Send the link to {name}.</strong> Whoever has it can choose the password, once. It is not shown again.
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title={`Reset the password of ${name}?`}
      submit="Make link"
      mutation={make}
      names={[]}
      onClose={onClose}
    >
      <p>The link lets {name} choose a new password. The present one works until then.</p>
    </FormDialog>
  );
}
