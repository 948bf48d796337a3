import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { assignableQuery } from '../api/admin-queries.ts';
import { api, type Schemas, write } from '../api/client.ts';
import { fieldError } from '../api/property-errors.ts';
import { ChoiceList } from '../ui/choice-list.tsx';
import { isolated } from '../ui/direction.ts';
import { SelectField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { sayDone } from '../ui/toasts.tsx';

/** A user or a group that has roles in a project. */
export interface Holder {
  kind: 'user' | 'group';
  id: number;
  name: string;
  roles: readonly number[];
  userCount?: number;
}

interface Props {
  projectId: string;
  access: Schemas['projectAccessSchema'];
  /** Somebody new unless given. */
  holder?: Holder;
  onClose: () => void;
}

/** Gives somebody roles in a project. */
export function ProjectAccessForm({ projectId, access, holder, onClose }: Props) {
  const queries = useQueryClient();
  const [who, setWho] = useState(holder === undefined ? '' : `${holder.kind} ${holder.id}`);
  const [roles, setRoles] = useState(holder?.roles.map(String) ?? []);
  const save = useMutation<unknown>({
    mutationFn: () => {
      const [kind, id = ''] = who.split(' ');
      const body = { roles: roles.map(Number) };
      const path = { projectId };
      if (holder === undefined) {
        const added = kind === 'group' ? { ...body, groups: [Number(id)] } : { ...body, users: [Number(id)] };
        return write(() => api.POST('/api/admin/projects/{projectId}/access', { params: { path }, body: added }));
      }
      return kind === 'group'
        ? write(() =>
            api.PUT('/api/admin/projects/{projectId}/groups/{groupId}/roles', {
              params: { path: { projectId, groupId: id } },
              body,
            }),
          )
        : write(() =>
            api.PUT('/api/admin/projects/{projectId}/users/{userId}/roles', {
              params: { path: { projectId, userId: id } },
              body,
            }),
          );
    },
    onSuccess() {
      sayDone(`The access to ${projectId} was changed.`);
      void queries.invalidateQueries({ queryKey: ['project', projectId] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={holder === undefined ? `Give access to ${projectId}` : `Roles of ${isolated(holder.name)} in ${projectId}`}
      submit={holder === undefined ? 'Give access' : 'Save'}
      mutation={save}
      names={['roles']}
      onClose={onClose}
    >
      {holder === undefined && <WhoField who={who} access={access} onChange={setWho} />}
      <ChoiceList
        label="Roles"
        choices={access.roles.map(({ id, name, description }) => ({
          value: `${id}`,
          label: description ? `${isolated(name)}: ${description}` : name,
        }))}
        chosen={roles}
        error={fieldError(save.error, 'roles')}
        onChange={setRoles}
      />
    </FormDialog>
  );
}

interface WhoProps {
  who: string;
  access: Schemas['projectAccessSchema'];
  onChange: (who: string) => void;
}

function WhoField({ who, access, onChange }: WhoProps) {
  const { data } = useQuery(assignableQuery);
  const users = (data?.users ?? []).filter((user) => !access.users.some(({ id }) => id === user.id));
  const groups = (data?.groups ?? []).filter((group) => !access.groups.some(({ id }) => id === group.id));
  return (
    <SelectField label="User or group" required value={who} onChange={(event) => onChange(event.target.value)}>
      <option value="">Choose …</option>
      {groups.map(({ id, name }) => (
        <option key={`group ${id}`} value={`group ${id}`}>
          Group {name}
        </option>
      ))}
      {users.map(({ id, name, username, email }) => (
        <option key={`user ${id}`} value={`user ${id}`}>
          {name || username || email}
        </option>
      ))}
    </SelectField>
  );
}
