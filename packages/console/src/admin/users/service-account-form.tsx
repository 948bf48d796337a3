import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role, ServiceAccount } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { fieldError, takenAt } from '../../api/property-errors.ts';
import { useMissing } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { firstRole, RootRoleField } from './root-role-field.tsx';

interface Props {
  roles: readonly Role[];
  /** A new one unless given. */
  account?: ServiceAccount;
  onClose: () => void;
}

export function NewServiceAccount({ roles }: Pick<Props, 'roles'>) {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={missing('ADMIN')}>
        New service account
      </Button>
      {isOpen && <ServiceAccountForm roles={roles} onClose={() => setOpen(false)} />}
    </>
  );
}

export function ServiceAccountForm({ roles, account, onClose }: Props) {
  const readAgain = useReadAgain('people');
  const [name, setName] = useState(account?.name ?? '');
  const [username, setUsername] = useState(account?.username ?? '');
  const [rootRole, setRootRole] = useState(account?.rootRole ?? firstRole(roles));
  const save = useMutation<unknown>({
    mutationFn: () =>
      account === undefined
        ? write(() => api.POST('/api/admin/service-account', { body: { name, username, rootRole } }))
        : write(() =>
            api.PUT('/api/admin/service-account/{id}', {
              params: { path: { id: `${account.id}` } },
              body: { name, rootRole },
            }),
          ),
    onSuccess() {
      readAgain(
        account === undefined ? `The service account ${isolated(name)} was made.` : `${isolated(name)} was changed.`,
      );
      onClose();
    },
  });
  const error = takenAt('username', save.error);
  return (
    <FormDialog
      title={account === undefined ? 'New service account' : `Edit ${isolated(account.name)}`}
      submit={account === undefined ? 'Make service account' : 'Save'}
      mutation={{ ...save, error }}
      names={['name', 'username', 'rootRole']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        hint="What uses it, such as deploy pipeline"
        error={fieldError(error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {account === undefined && (
        <TextField
          label="User name"
          required
          maxLength={255}
          autoCapitalize="none"
          spellCheck={false}
          hint="The event log shows it. It cannot be changed later."
          error={fieldError(error, 'username')}
          value={username}
          onChange={(event) => setUsername(event.target.value)}
        />
      )}
      <RootRoleField
        roles={roles}
        roleId={rootRole}
        error={fieldError(error, 'rootRole')}
        onChange={(id) => id !== null && setRootRole(id)}
      />
    </FormDialog>
  );
}
