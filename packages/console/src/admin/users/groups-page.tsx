import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Group, groupsQuery, type Role, rolesQuery } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { useMissing } from '../../app/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { countOf } from '../../ui/counts.ts';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { isolated } from '../../ui/direction.ts';
import { EditedInDialog } from '../../ui/edited.tsx';
import { Row, Rows, rowName } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { nameOf } from '../names.ts';
import { useReadAgain } from '../use-read-again.ts';
import { GroupForm } from './group-form.tsx';

const settingsOf = ({ name, description, rootRole, users }: Group) => ({
  ...{ name, description, rootRole, members: users.map(({ user }) => user.id) },
});

/** Users who get roles together. */
export function GroupsPage() {
  const missing = useMissing();
  const query = useQuery(groupsQuery);
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: missing('READ_ROLE') === null });
  const rootRoles = roles.filter(({ type }) => type.startsWith('root'));
  const [isOpen, setOpen] = useState(false);
  return (
    <AdminPage
      title="Groups"
      actions={
        <Button look="primary" onClick={() => setOpen(true)} offBecause={missing('ADMIN')}>
          New group
        </Button>
      }
    >
      <Shown query={query}>
        {(groups) =>
          groups.length === 0 ? (
            <Empty title="There is no group yet">
              <p>Users of a group get its roles together, in projects and in the whole instance.</p>
            </Empty>
          ) : (
            <Rows label="Groups">
              {groups.map((group) => (
                <GroupRow key={group.id} group={group} roles={rootRoles} />
              ))}
            </Rows>
          )
        }
      </Shown>
      {isOpen && <GroupForm roles={rootRoles} onClose={() => setOpen(false)} />}
    </AdminPage>
  );
}

function GroupRow({ group, roles }: { group: Group; roles: readonly Role[] }) {
  const [isEdited, setEdited] = useState(false);
  const missing = useMissing()('ADMIN');
  const readAgain = useReadAgain('people');
  const role = roles.find(({ id }) => id === group.rootRole);
  const path = { groupId: `${group.id}` };
  return (
    <Row
      name={
        <>
          <span className={rowName}>{group.name}</span> {role && <Badge>{role.name}</Badge>}
        </>
      }
      description={group.description}
      facts={[
        countOf(group.users.length, 'member'),
        ...(group.projects.length > 0 ? [`in ${group.projects.join(', ')}`] : []),
      ]}
      end={
        <>
          <Button look="quiet" onClick={() => setEdited(true)} offBecause={missing}>
            Edit<span className="visually-hidden"> {group.name}</span>
          </Button>
          <DeleteButton
            what={`the group ${isolated(group.name)}`}
            look="quiet"
            offBecause={missing}
            send={() => write(() => api.DELETE('/api/admin/groups/{groupId}', { params: { path } }))}
            onDone={() => readAgain(`The group ${isolated(group.name)} was deleted.`)}
          >
            Its members lose what only this group let them do.
          </DeleteButton>
          {isEdited && (
            <EditedInDialog what="this group" now={group} settingsOf={settingsOf}>
              {(before) => <GroupForm group={before} roles={roles} onClose={() => setEdited(false)} />}
            </EditedInDialog>
          )}
        </>
      }
    >
      {group.users.length > 0 && (
        <p className={styles.quiet}>{group.users.map(({ user }) => nameOf(user)).join(', ')}</p>
      )}
    </Row>
  );
}
