import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { usersQuery } from '../../api/admin-queries.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { FilterRow } from '../../ui/filter-row.tsx';
import { Rows } from '../../ui/rows.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { isNamed } from '../names.ts';
import { InviteUser } from './invite-user.tsx';
import { UserRow } from './user-row.tsx';

const route = getRouteApi('/admin/users');

/** Everybody who can log in. */
export function UsersPage() {
  const missing = useCannotRead()('/admin/users');
  const query = useQuery({ ...usersQuery, enabled: missing === null });
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <AdminPage title="Users" missing={missing} actions={<InviteUser roles={query.data?.rootRoles ?? []} />}>
      <div className={styles.stack}>
        <FilterRow>
          <SearchBox
            text={q}
            placeholder="Name or e-mail"
            onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
          />
        </FilterRow>
        <Shown query={query}>
          {({ users, rootRoles }) => {
            const found = users.filter(({ name, username, email }) => isNamed(q, name, username, email));
            return found.length === 0 ? (
              <Empty title="No user is called so" />
            ) : (
              <Rows label="Users">
                {found.map((user) => (
                  <UserRow key={user.id} user={user} roles={rootRoles} />
                ))}
              </Rows>
            );
          }}
        </Shown>
      </div>
    </AdminPage>
  );
}
