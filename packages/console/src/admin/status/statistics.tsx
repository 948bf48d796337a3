import { useQuery } from '@tanstack/react-query';
import { statisticsQuery } from '../../api/admin-queries.ts';
import { useMissing } from '../../app/session.ts';
import { Shown } from '../../ui/shown.tsx';
import styles from './gauges.module.css';

/** How much there is in the instance, and how much it is used. */
export function Statistics() {
  const missing = useMissing()('ADMIN');
  const query = useQuery({ ...statisticsQuery, enabled: missing === null });
  return (
    <Shown query={query}>
      {(counts) => (
        <dl className={styles.facts}>
          {(
            [
              ['Flags', counts.featureToggles],
              ['Archived flags', counts.archivedFeatureToggles],
              ['Projects', counts.projects],
              ['Environments', counts.environments],
              ['Segments', counts.segments],
              ['Context fields', counts.contextFields],
              ['Users', counts.users],
              ['Users seen in 30 days', counts.activeUsers.last30],
              ['Service accounts', counts.serviceAccounts],
              ['Groups', counts.groups],
              ['Custom root roles', counts.customRootRoles],
              ['Client tokens', counts.apiTokens.client],
              ['Frontend tokens', counts.apiTokens.frontend],
              ['Admin tokens', counts.apiTokens.admin],
              ['Applications seen in 30 days', counts.clientApps.find(({ range }) => range === '30d')?.count ?? 0],
              ['Changes in production in 30 days', counts.productionChanges.last30 ?? null],
              ['Strategies of a flag in one environment, at most', counts.maxEnvironmentStrategies],
              ['Constraints of a strategy, at most', counts.maxConstraints],
            ] as const
          ).map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{count === null ? 'too many to count' : count.toLocaleString('en')}</dd>
            </div>
          ))}
        </dl>
      )}
    </Shown>
  );
}
