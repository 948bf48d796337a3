import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assignableQuery, type Group, type Role } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { fieldError } from '../../api/property-errors.ts';
import { isolated } from '../../ui/direction.ts';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { nameOf } from '../names.ts';
import { useReadAgain } from '../use-read-again.ts';
import { PeopleField } from './people-field.tsx';
import { RootRoleField } from './root-role-field.tsx';

interface Props {
  roles: readonly Role[];
  /** A new one unless given. */
  group?: Group;
  onClose: () => void;
}

export function GroupForm({ roles, group, onClose }: Props) {
  const readAgain = useReadAgain('people');
  const { data } = useQuery(assignableQuery);
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const [rootRole, setRootRole] = useState(group?.rootRole ?? null);
  const [members, setMembers] = useState<readonly number[]>(group?.users.map(({ user }) => user.id) ?? []);
  const save = useMutation<unknown>({
    mutationFn: () => {
      const body = { name, description, rootRole, users: members.map((id) => ({ user: { id } })) };
      if (group === undefined) return write(() => api.POST('/api/admin/groups', { body }));
      const path = { groupId: `${group.id}` };
      return write(() => api.PUT('/api/admin/groups/{groupId}', { params: { path }, body }));
    },
    onSuccess() {
      readAgain(
        group === undefined ? `The group ${isolated(name)} was made.` : `The group ${isolated(name)} was changed.`,
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title={group === undefined ? 'New group' : `Edit ${isolated(group.name)}`}
      submit={group === undefined ? 'Make group' : 'Save'}
      mutation={save}
      names={['name', 'description', 'rootRole']}
      onClose={onClose}
    >
      <TextField
        label="Name"
        required
        maxLength={255}
        error={fieldError(save.error, 'name')}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextAreaField
        label="Description"
        maxLength={1000}
        error={fieldError(save.error, 'description')}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
      <RootRoleField
        roles={roles}
        roleId={rootRole}
        onChange={setRootRole}
        mayBeNone
        error={fieldError(save.error, 'rootRole')}
      />
      <PeopleField
        label="Members"
        people={(data?.users ?? []).map((user) => ({ id: user.id, name: nameOf(user) }))}
        chosen={members}
        onChange={setMembers}
      />
    </FormDialog>
  );
}
