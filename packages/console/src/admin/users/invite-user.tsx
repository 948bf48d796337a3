import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { nameOf } from '../names.ts';
import { SecretDialog } from '../secret-dialog.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { firstRole, RootRoleField } from './root-role-field.tsx';

interface Props {
  roles: readonly Role[];
}

/** A button that opens the form of a new user. */
export function InviteUser({ roles }: Props) {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={missing('ADMIN')}>
        Invite user
      </Button>
      {isOpen && <InviteUserForm roles={roles} onClose={() => setOpen(false)} />}
    </>
  );
}

function InviteUserForm({ roles, onClose }: Props & { onClose: () => void }) {
  const readAgain = useReadAgain('people');
  const [name, setName] = useState('');
  const [username, setUsername] = useState('');
  const [email, setEmail] = useState('');
  const [rootRole, setRootRole] = useState(firstRole(roles));
  const invite = useMutation({
    mutationFn: () => {
      const body = { ...(name && { name }), ...(username && { username }), ...(email && { email }), rootRole };
      return write(() => api.POST('/api/admin/user-admin', { body }));
    },
    onSuccess: () => readAgain(),
    gcTime: 0,
  });
  if (invite.data !== undefined) {
    const invited = nameOf(invite.data);
    const { inviteLink } = invite.data;
    return (
      <SecretDialog title={`Invitation of ${invited}`} what="link" secret={inviteLink} onClose={onClose}>
        <strong>Send the link to {invited}.</strong> With it they choose a password and log in. It works once, for a
        day, and is not shown again.
        {!inviteLink.startsWith(location.origin) &&
          ' It begins with the UNLEASH_URL of the gateway, which they have to reach.'}
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      title="Invite a user"
      submit="Make invitation"
      mutation={invite}
      names={['name', 'username', 'email', 'rootRole']}
      onClose={onClose}
    >
      <TextField
        label="User name"
        required={email === ''}
        maxLength={255}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        hint="To log in with. A user has this, an e-mail, or both."
        error={fieldError(invite.error, 'username')}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <TextField
        label="E-mail"
        required={username === ''}
        inputMode="email"
        autoComplete="off"
        error={fieldError(invite.error, 'email')}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Full name"
        maxLength={255}
        autoComplete="off"
        error={fieldError(invite.error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <RootRoleField
        roles={roles}
        roleId={rootRole}
        error={fieldError(invite.error, 'rootRole')}
        onChange={(id) => id !== null && setRootRole(id)}
      />
    </FormDialog>
  );
}
