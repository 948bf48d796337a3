import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { featureQuery } from '../api/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { EnvironmentPanel } from './environment-panel.tsx';
import styles from './flag-page.module.css';

const route = getRouteApi('/projects/$projectId/features/$featureName');

/** A flag with its environments side by side. */
export function FlagPage() {
  const { projectId, featureName } = route.useParams();
  const query = useQuery(featureQuery(projectId, featureName));
  return (
    <Shown query={query}>
      {(flag) => (
        <>
          <PageHead
            title={flag.name}
            above={
              <Link to="/projects/$projectId" params={{ projectId }}>
                {projectId}
              </Link>
            }
          />
          <div className={styles.facts}>
            <span>{flag.type}</span>
            <Badge>{flag.lifecycle.stage}</Badge>
            {flag.stale && <Badge look="warning">stale</Badge>}
            {flag.archived && <Badge look="danger">archived</Badge>}
            {flag.createdAt && (
              <span>
                made by {flag.createdBy.name} <Time at={flag.createdAt} />
              </span>
            )}
          </div>
          {flag.description && <p className={styles.description}>{flag.description}</p>}
          <div className={styles.environments}>
            {flag.environments.map((environment) => (
              <EnvironmentPanel key={environment.name} flag={flag} environment={environment} />
            ))}
          </div>
        </>
      )}
    </Shown>
  );
}
