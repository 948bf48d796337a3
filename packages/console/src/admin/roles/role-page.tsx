import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { permissionsQuery, roleQuery } from '../../api/admin-queries.ts';
import type { Schemas } from '../../api/client.ts';
import { useMissing } from '../../app/session.ts';
import { Edited } from '../../ui/edited.tsx';
import { Shown } from '../../ui/shown.tsx';
import { AdminPage } from '../admin-page.tsx';
import { RoleForm } from './role-form.tsx';

const route = getRouteApi('/admin/roles/$roleId');

const settingsOf = ({ name, description, permissions }: Schemas['roleWithPermissionsSchema']) => ({
  ...{ name, description, permissions },
});

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
            <Shown query={role}>
              {(found) => (
                <Edited key={found.id} what="this role" now={found} read={() => role.data} settingsOf={settingsOf}>
                  {(before) => <RoleForm permissions={known} role={before} />}
                </Edited>
              )}
            </Shown>
          )
        }
      </Shown>
    </AdminPage>
  );
}
