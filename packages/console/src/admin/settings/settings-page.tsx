import { useQuery } from '@tanstack/react-query';
import { uiConfigQuery } from '../../api/queries.ts';
import { Shown } from '../../ui/shown.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { CorsForm } from './cors-form.tsx';
import { Maintenance } from './maintenance.tsx';

/** What concerns the whole instance. */
export function SettingsPage() {
  const query = useQuery(uiConfigQuery);
  return (
    <AdminPage title="Settings">
      <Shown query={query}>
        {({ maintenanceMode, frontendApiOrigins }) => (
          <div className={styles.stack}>
            <Maintenance isOn={maintenanceMode} />
            <CorsForm key={frontendApiOrigins.join()} origins={frontendApiOrigins} />
          </div>
        )}
      </Shown>
    </AdminPage>
  );
}
