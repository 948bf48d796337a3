import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { featureQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { FlagSwitch } from '../save/flag-switch.tsx';
import { Shown } from '../ui/shown.tsx';
import { SdkPane } from './sdk-pane.tsx';
import styles from './welcome-page.module.css';

interface Props {
  project: string;
  flag: string;
  environment: string;
}

/** The switch of the flag, beside an SDK that follows it. */
export function WatchSwitch({ project, flag, environment }: Props) {
  const query = useQuery(featureQuery(project, flag));
  const missing = useMissing();
  return (
    <Shown query={query}>
      {({ environments }) => {
        const watched = environments.find(({ name }) => name === environment) ?? {
          ...{ name: environment, enabled: false, type: 'development' },
        };
        return (
          <>
            <div className={styles.state}>
              <FlagSwitch
                target={{ project, feature: flag }}
                environment={watched}
                offBecause={missing('UPDATE_FEATURE_ENVIRONMENT', project, environment)}
              />
              <p>
                <Link
                  to="/projects/$projectId/features/$featureName"
                  params={{ projectId: project, featureName: flag }}
                >
                  {flag}
                </Link>{' '}
                is {watched.enabled ? 'on' : 'off'} in {environment}. Most SDKs ask again every 15 seconds.
              </p>
            </div>
            <SdkPane key={environment} project={project} flag={flag} environment={environment} />
          </>
        );
      }}
    </Shown>
  );
}
