import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role, User } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { Button } from '../../ui/button.tsx';
import { EditedInDialog } from '../../ui/edited.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { nameOf } from '../names.ts';
import { useReadAgain } from '../use-read-again.ts';
import { RootRoleField } from './root-role-field.tsx';

interface Props {
  user: User;
  roles: readonly Role[];
}

const settingsOf = ({ name, email, rootRole }: User) => ({ name, email, rootRole });

/** A button that opens the form of name, e-mail and root role. */
export function EditUser(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        Edit<span className="visually-hidden"> {nameOf(props.user)}</span>
      </Button>
      {isOpen && (
        <EditedInDialog what="this user" now={props.user} settingsOf={settingsOf}>
          {(user) => <EditUserForm user={user} roles={props.roles} onClose={() => setOpen(false)} />}
        </EditedInDialog>
      )}
    </>
  );
}

function EditUserForm({ user, roles, onClose }: Props & { onClose: () => void }) {
  const readAgain = useReadAgain('people');
  const [name, setName] = useState(user.name ?? '');
  const [email, setEmail] = useState(user.email ?? '');
  const [rootRole, setRootRole] = useState(user.rootRole);
  const change = useMutation({
    mutationFn: () => {
      const body = { ...(name !== '' && { name }), ...(email !== '' && { email }), rootRole };
      return write(() => api.PUT('/api/admin/user-admin/{id}', { params: { path: { id: `${user.id}` } }, body }));
    },
    onSuccess() {
      readAgain(`${nameOf(user)} was changed.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Edit ${nameOf(user)}`}
      submit="Save"
      mutation={change}
      names={['name', 'email', 'rootRole']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        // The API changes a name or address, and does not remove it.
        required={Boolean(user.name)}
        maxLength={255}
        error={fieldError(change.error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="E-mail"
        required={Boolean(user.email)}
        inputMode="email"
        error={fieldError(change.error, 'email')}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RootRoleField
        roles={roles}
        roleId={rootRole}
        error={fieldError(change.error, 'rootRole')}
        onChange={(id) => id !== null && setRootRole(id)}
      />
    </FormDialog>
  );
}
