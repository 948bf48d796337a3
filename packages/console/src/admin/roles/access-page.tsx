import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { accessOverviewQuery } from '../../api/admin-queries.ts';
import type { Schemas } from '../../api/client.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { Badge } from '../../ui/badge.tsx';
import { isolated } from '../../ui/direction.ts';
import { FilterRow } from '../../ui/filter-row.tsx';
import { Row, Rows, rowName } from '../../ui/rows.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { isNamed, nameOf } from '../names.ts';
import { ExportAccess } from './export-access.tsx';
import { MayDo } from './may-do.tsx';

const route = getRouteApi('/admin/access');

type Access = Schemas['userAccessSchema'];

const named = (access: Access) => nameOf({ ...access, id: access.userId });

/** Who has access to what. */
export function AccessPage() {
  const missing = useCannotRead()('/admin/access');
  const query = useQuery({ ...accessOverviewQuery, enabled: missing === null });
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <AdminPage title="Access" missing={missing} actions={<ExportAccess offBecause={missing} />}>
      <div className={styles.stack}>
        <Shown query={query}>
          {(everybody) => {
            const chosen = everybody.find(({ userId }) => userId === search.of);
            const found = everybody.filter(({ name, username, email }) =>
              isNamed(search.q ?? '', name, username, email),
            );
            return (
              <>
                {chosen && <MayDo id={chosen.userId} name={named(chosen)} />}
                <FilterRow>
                  <SearchBox
                    text={search.q ?? ''}
                    placeholder="Name or e-mail"
                    onChange={(q) => void navigate({ search: { ...search, q }, replace: true })}
                  />
                </FilterRow>
                {found.length === 0 ? (
                  <Empty title="Nobody is called so" />
                ) : (
                  <Rows label="Who has access">
                    {found.map((access) => (
                      <AccessRow key={access.userId} access={access} />
                    ))}
                  </Rows>
                )}
              </>
            );
          }}
        </Shown>
      </div>
    </AdminPage>
  );
}

function AccessRow({ access }: { access: Access }) {
  const { userId, accountType, rootRole, groups, projectRoles } = access;
  return (
    <Row
      name={
        <>
          <span className={rowName}>{named(access)}</span> <Badge>{rootRole}</Badge>{' '}
          {accountType !== 'User' && <Badge>service account</Badge>}
        </>
      }
      facts={groups.map((group) => `in ${isolated(group)}`)}
      end={
        <Link to="/admin/access" search={(before) => ({ ...before, of: userId })}>
          What may they do?<span className="visually-hidden"> {named(access)}</span>
        </Link>
      }
    >
      {projectRoles.length > 0 && (
        <ul className={styles.quiet}>
          {projectRoles.map(({ project, role, group }) => (
            <li key={`${project} ${role} ${group}`}>
              {isolated(role)} in {project}
              {group !== null && ` by the group ${isolated(group)}`}
            </li>
          ))}
        </ul>
      )}
    </Row>
  );
}
