import { useQuery, useQueryClient } from '@tanstack/react-query';
import { uiConfigQuery } from '../../api/queries.ts';
import { Edited } from '../../ui/edited.tsx';
import { Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { CorsForm } from './cors-form.tsx';
import { Maintenance } from './maintenance.tsx';

/** What concerns the whole instance. */
export function SettingsPage() {
  const queries = useQueryClient();
  const query = useQuery(uiConfigQuery);
  const read = () => queries.getQueryData(uiConfigQuery.queryKey)?.frontendApiOrigins;
  return (
    <AdminPage title="Settings">
      <Shown query={query}>
        {({ maintenanceMode, frontendApiOrigins }) => (
          <div className={styles.stack}>
            <Maintenance isOn={maintenanceMode} />
            <Edited what="the origins" now={frontendApiOrigins} read={read} settingsOf={(origins) => origins}>
              {(before, onSaved) => <CorsForm origins={before} onSaved={onSaved} />}
            </Edited>
          </div>
        )}
      </Shown>
    </AdminPage>
  );
}
