import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { permissionsQuery, roleQuery } from '../../api/admin-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Shown } from '../../ui/shown.tsx';
import { AdminPage } from '../admin-page.tsx';
import { RoleForm } from './role-form.tsx';

const route = getRouteApi('/admin/roles/$roleId');

/** A role with its permissions, or the form of a new one. */
export function RolePage() {
  const { roleId } = route.useParams();
  const isNew = roleId === 'new';
  const missing = useMissing()('ADMIN');
  const role = useQuery({ ...roleQuery(Number(roleId)), enabled: !isNew });
  const permissions = useQuery(permissionsQuery);
  const title = isNew ? 'New role' : (role.data?.name ?? 'Role');
  return (
    <AdminPage title={title} missing={isNew ? missing : null}>
      <Shown query={permissions}>
        {(known) =>
          isNew ? (
            <RoleForm permissions={known} />
          ) : (
            <Shown query={role}>{(found) => <RoleForm key={found.id} permissions={known} role={found} />}</Shown>
          )
        }
      </Shown>
    </AdminPage>
  );
}
