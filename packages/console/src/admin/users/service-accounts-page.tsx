import { useQuery } from '@tanstack/react-query';
import { serviceAccountsQuery } from '../../api/admin-queries.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { Rows } from '../../ui/rows.tsx';
import { Empty, Shown } from '../../ui/shown.tsx';
import { AdminPage } from '../admin-page.tsx';
import { NewServiceAccount } from './service-account-form.tsx';
import { ServiceAccountRow } from './service-account-row.tsx';

/** Accounts of programs, each with its role and its tokens. */
export function ServiceAccountsPage() {
  const missing = useCannotRead()('/admin/service-accounts');
  const query = useQuery({ ...serviceAccountsQuery, enabled: missing === null });
  return (
    <AdminPage
      title="Service accounts"
      missing={missing}
      actions={<NewServiceAccount roles={query.data?.rootRoles ?? []} />}
    >
      <Shown query={query}>
        {({ serviceAccounts, rootRoles }) =>
          serviceAccounts.length === 0 ? (
            <Empty title="There is no service account yet">
              <p>A program that changes flags gets one. It may do what its role says, and its tokens can be deleted.</p>
            </Empty>
          ) : (
            <Rows label="Service accounts">
              {serviceAccounts.map((account) => (
                <ServiceAccountRow key={account.id} account={account} roles={rootRoles} />
              ))}
            </Rows>
          )
        }
      </Shown>
    </AdminPage>
  );
}
