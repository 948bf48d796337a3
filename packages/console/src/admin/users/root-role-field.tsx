import type { Role } from '../../api/admin-queries.ts';
import { SelectField } from '../../ui/field.tsx';

interface Props {
  roles: readonly Role[];
  roleId: number | null;
  onChange: (roleId: number | null) => void;
  /** Whether there may be none; of groups alone. */
  mayBeNone?: boolean;
  error?: string | undefined;
}

/** Chooses what somebody may do in the whole instance. */
export function RootRoleField({ roles, roleId, onChange, mayBeNone = false, error }: Props) {
  const hint = roles.find(({ id }) => id === roleId)?.description;
  return (
    <SelectField
      label="Root role"
      error={error}
      {...(hint && { hint })}
      value={roleId ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? null : Number(event.target.value))}
    >
      {mayBeNone && <option value="">none</option>}
      {roles.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

/** The role that a form begins with: the one that may least. */
export function firstRole(roles: readonly Role[]): number {
  return (roles.find(({ name }) => name === 'Viewer') ?? roles[0])?.id ?? 3;
}
