import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { featureQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { useSave } from '../save/save.tsx';
import { Shown } from '../ui/shown.tsx';
import { Switch } from '../ui/switch.tsx';
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
  const save = useSave();
  const missing = useMissing();
  return (
    <Shown query={query}>
      {({ environments }) => {
        const { enabled, type } = environments.find(({ name }) => name === environment) ?? {
          ...{ enabled: false, type: 'development' },
        };
        return (
          <>
            <div className={styles.state}>
              <Switch
                label={`${flag} in ${environment}`}
                isOn={enabled}
                onChange={(isOn) =>
                  save({ project, feature: flag }, { kind: 'switch', environment, environmentType: type, isOn })
                }
                offBecause={missing('UPDATE_FEATURE_ENVIRONMENT', project, environment)}
              />
              <p>
                <Link
                  to="/projects/$projectId/features/$featureName"
                  params={{ projectId: project, featureName: flag }}
                >
                  {flag}
                </Link>{' '}
                is {enabled ? 'on' : 'off'} in {environment}. Most SDKs ask again every 15 seconds.
              </p>
            </div>
            <SdkPane key={environment} project={project} flag={flag} environment={environment} />
          </>
        );
      }}
    </Shown>
  );
}
