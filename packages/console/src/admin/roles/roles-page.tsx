import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { permissionsQuery, type Role, roleQuery, rolesQuery } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { Row, Rows, rowName } from '../../ui/rows.tsx';
import { Failed, Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { useReadAgain } from '../use-read-again.ts';
import { isCustom, isRootRole } from './grants.ts';
import { type Permissions, projectGroups, rootGroup } from './permission-groups.ts';
import { PermissionMatrix } from './permission-matrix.tsx';

/** Every role, and which permissions it gives. */
export function RolesPage() {
  const missing = useMissing();
  const cannotRead = useCannotRead()('/admin/roles');
  const query = useQuery({ ...rolesQuery, enabled: cannotRead === null });
  const navigate = useNavigate();
  const add = () => void navigate({ to: '/admin/roles/$roleId', params: { roleId: 'new' } });
  return (
    <AdminPage
      title="Roles"
      missing={cannotRead}
      actions={
        <Button look="primary" onClick={add} offBecause={missing('ADMIN')}>
          New role
        </Button>
      }
    >
      <Shown query={query}>
        {(roles) => (
          <div className={styles.stack}>
            <Rows label="Roles">
              {roles.map((role) => (
                <RoleRow key={role.id} role={role} />
              ))}
            </Rows>
            <Matrices roles={roles} />
          </div>
        )}
      </Shown>
    </AdminPage>
  );
}

function RoleRow({ role }: { role: Role }) {
  const missing = useMissing()('ADMIN');
  const readAgain = useReadAgain('people');
  const { id, name, description } = role;
  return (
    <Row
      name={
        <>
          <Link to="/admin/roles/$roleId" params={{ roleId: `${id}` }} className={rowName}>
            {name}
          </Link>{' '}
          <Badge>{isRootRole(role) ? 'root' : 'project'}</Badge> {isCustom(role) && <Badge>custom</Badge>}
        </>
      }
      description={description}
      end={
        isCustom(role) && (
          <DeleteButton
            what={`the role ${isolated(name)}`}
            look="quiet"
            offBecause={missing}
            send={() => write(() => api.DELETE('/api/admin/roles/{roleId}', { params: { path: { roleId: `${id}` } } }))}
            onDone={() => readAgain(`The role ${isolated(name)} was deleted.`)}
          >
            A role that somebody has cannot be deleted.
          </DeleteButton>
        )
      }
    />
  );
}

function Matrices({ roles }: { roles: readonly Role[] }) {
  return (
    <Shown query={useQuery(permissionsQuery)}>
      {(permissions) => <MatricesOf roles={roles} permissions={permissions} />}
    </Shown>
  );
}

function MatricesOf({ roles, permissions }: { roles: readonly Role[]; permissions: Permissions }) {
  const results = useQueries({ queries: roles.map(({ id }) => roleQuery(id)) });
  const grantsOf = new Map(roles.map(({ id }, place) => [id, results[place]?.data?.permissions]));
  const failed = results.find(({ data, error }) => data === undefined && error !== null);
  const rootRoles = roles.filter(isRootRole);
  const projectRoles = roles.filter((role) => !isRootRole(role));
  const inProjects = projectGroups(permissions);
  return (
    <>
      {failed && <Failed error={failed.error!} retry={failed.refetch} />}
      <h2>What root roles give</h2>
      <PermissionMatrix
        label="Permissions of root roles"
        roles={rootRoles}
        grantsOf={grantsOf}
        groups={[rootGroup(permissions), ...inProjects]}
      />
      <h2>What project roles give</h2>
      <PermissionMatrix
        label="Permissions of project roles"
        roles={projectRoles}
        grantsOf={grantsOf}
        groups={inProjects}
      />
    </>
  );
}
