import { useQuery } from '@tanstack/react-query';
import { statusQuery } from '../../api/admin-queries.ts';
import type { Schemas } from '../../api/client.ts';
import { useCannotRead } from '../../app/cannot-read.ts';
import { Badge } from '../../ui/badge.tsx';
import { Row, Rows, rowName } from '../../ui/rows.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { AdminPage } from '../admin-page.tsx';
import { Gauges } from './gauges.tsx';
import { Statistics } from './statistics.tsx';
import { troublesOf, versionsOf } from './status-words.ts';

/** The processes of the system: whether they are ready, their versions, and how far they are behind. */
export function StatusPage() {
  const missing = useCannotRead()('/admin/status');
  const query = useQuery({ ...statusQuery, enabled: missing === null });
  return (
    <AdminPage title="Status" missing={missing}>
      <div className={styles.stack}>
        <Shown query={query}>
          {(services) => {
            const versions = versionsOf(services);
            return (
              <>
                <p role="status">
                  {versions.length === 1
                    ? `Every process has version ${versions[0]}.`
                    : `Versions ${versions.join(', ')} run side by side.`}
                </p>
                <Rows label="Services">
                  {services.map((service) => (
                    <ServiceRow key={service.name} service={service} />
                  ))}
                </Rows>
              </>
            );
          }}
        </Shown>
        <h2>Statistics</h2>
        <Statistics />
      </div>
    </AdminPage>
  );
}

function ServiceRow({ service: { name, isAway, replicas } }: { service: Schemas['serviceStatusSchema'] }) {
  return (
    <Row
      name={
        <>
          <span className={rowName}>{name}</span> {isAway && <Badge look="danger">away: no process answers</Badge>}
        </>
      }
    >
      <ul className={styles.stack}>
        {replicas.map((replica) => (
          <li key={`${replica.instance} ${replica.startedAt}`}>
            <p>
              <code>{replica.instance}</code>{' '}
              <Badge look={replica.isReady ? 'good' : 'danger'}>{replica.isReady ? 'ready' : 'not ready'}</Badge>{' '}
              <span className={styles.quiet}>
                {replica.version} · started <Time at={replica.startedAt} />
              </span>
            </p>
            {troublesOf(replica).map((trouble) => (
              <p key={trouble} className={styles.refused}>
                {trouble}
              </p>
            ))}
            <Gauges gauges={replica.gauges} />
          </li>
        ))}
      </ul>
    </Row>
  );
}
