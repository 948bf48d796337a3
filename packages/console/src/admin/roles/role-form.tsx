import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schemas, write } from '../../api/client.ts';
import { errorBeside, fieldError } from '../../api/property-errors.ts';
import { useMissing } from '../../app/session.ts';
import { isSame } from '../../save/same.ts';
import { Button } from '../../ui/button.tsx';
import { isolated } from '../../ui/direction.ts';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { FormPage } from '../../ui/form-page.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/section.tsx';
import { SubmitButton } from '../../ui/send-again.tsx';
import { Failed } from '../../ui/shown.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { type Grant, gives, has, isCustom, withGrant } from './grants.ts';
import { projectGroups, rootGroup } from './permission-groups.ts';
import { PermissionName } from './permission-name.tsx';

interface Props {
  permissions: Schemas['adminPermissionsSchema']['permissions'];
  /** A new one unless given. */
  role?: Schemas['roleWithPermissionsSchema'];
}

export function RoleForm({ permissions, role }: Props) {
  const navigate = useNavigate();
  const readAgain = useReadAgain('people');
  const missing = useMissing()('ADMIN');
  const initial = {
    name: role?.name ?? '',
    description: role?.description ?? '',
    type: role?.type.startsWith('root') ? ('root-custom' as const) : ('custom' as const),
    grants: role?.permissions ?? [],
  };
  const [name, setName] = useState(initial.name);
  const [description, setDescription] = useState(initial.description);
  const [type, setType] = useState<'root-custom' | 'custom'>(initial.type);
  const [grants, setGrants] = useState<readonly Grant[]>(initial.grants);
  const isFixed = role !== undefined && !isCustom(role);
  const isOff = isFixed || missing !== null;
  // No custom role has ADMIN.
  const groups =
    type === 'root-custom' ? [rootGroup(permissions), ...projectGroups(permissions)] : projectGroups(permissions);
  const save = useMutation<unknown>({
    mutationFn: () => {
      const given = grants.map(({ name, environment }) => ({ name, ...(environment && { environment }) }));
      const body = { name, description, type, permissions: given };
      if (role === undefined) return write(() => api.POST('/api/admin/roles', { body }));
      return write(() => api.PUT('/api/admin/roles/{roleId}', { params: { path: { roleId: `${role.id}` } }, body }));
    },
    onSuccess() {
      readAgain(
        role === undefined ? `The role ${isolated(name)} was made.` : `The role ${isolated(name)} was changed.`,
      );
      void navigate({ to: '/admin/roles', ignoreBlocker: true });
    },
  });
  const rest = errorBeside(save.error, ['name', 'description']);
  return (
    <FormPage
      onSubmit={() => isOff || save.mutate()}
      said={rest !== null && <Failed error={rest} />}
      buttons={
        isOff ? (
          <p>{isFixed ? 'This role cannot be changed.' : missing}</p>
        ) : (
          <>
            <Button onClick={() => void navigate({ to: '/admin/roles' })}>Cancel</Button>
            <SubmitButton mutation={save}>{role === undefined ? 'Make role' : 'Save'}</SubmitButton>
          </>
        )
      }
    >
      <LeaveGuard isDirty={!isSame({ name, description, type, grants }, initial)} />
      <Section title="Role">
        <TextField
          label="Name"
          required
          maxLength={100}
          readOnly={isOff}
          error={fieldError(save.error, 'name')}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextAreaField
          label="Description"
          maxLength={1000}
          readOnly={isOff}
          error={fieldError(save.error, 'description')}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
        />
        {role === undefined && (
          <SelectField
            label="Given"
            value={type}
            onChange={(event) => {
              setType(event.target.value as typeof type);
              setGrants([]);
            }}
          >
            <option value="custom">in a project</option>
            <option value="root-custom">in the whole instance</option>
          </SelectField>
        )}
      </Section>
      {groups.map((group) => (
        <Section key={group.title} title={group.title}>
          {group.permissions
            .filter((permission) => isFixed || permission.name !== 'ADMIN')
            .map((permission) => (
              <CheckField
                key={permission.name}
                label={<PermissionName {...permission} />}
                disabled={isOff}
                checked={(isFixed ? gives : has)(grants, permission)}
                onChange={({ target: { checked } }) =>
                  setGrants(withGrant(grants, { name: permission.name, environment: permission.environment }, checked))
                }
              />
            ))}
        </Section>
      ))}
    </FormPage>
  );
}
