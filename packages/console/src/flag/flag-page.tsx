import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { Problem } from '../api/problem.ts';
import { featureQuery, segmentsQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { FavoriteStar } from '../flags/favorite-star.tsx';
import type { Flag } from '../save/after.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { ArchivedFlag } from './archived-flag.tsx';
import { Dependencies } from './dependencies.tsx';
import { differencesInWords } from './differences.ts';
import { EnvironmentPanel } from './environment-panel.tsx';
import { FlagFrame } from './flag-frame.tsx';
import { FlagLinks } from './flag-links.tsx';
import { FlagMenu } from './flag-menu.tsx';
import styles from './flag-page.module.css';
import { FlagSettingsForm } from './flag-settings.tsx';
import { FlagTags } from './flag-tags.tsx';
import { ProjectLinks } from './project-links.tsx';
import { segmentNamesIn } from './strategy-words.ts';

const route = getRouteApi('/projects/$projectId/features/$featureName');

/** A flag with its environments side by side. */
export function FlagPage() {
  const { projectId, featureName } = route.useParams();
  const query = useQuery(featureQuery(projectId, featureName));
  if (query.error instanceof Problem && query.error.kind === 'missing') {
    return <ArchivedFlag project={projectId} feature={featureName} error={query.error} />;
  }
  return (
    <Shown query={query}>
      {(flag) => (
        <Fragment key={flag.name}>
          <Head flag={flag} />
          <ProjectLinks flag={flag} />
          <FlagLinks flag={flag} />
          <Dependencies flag={flag} />
          <Environments flag={flag} />
        </Fragment>
      )}
    </Shown>
  );
}

function Head({ flag }: { flag: Flag }) {
  const missing = useMissing();
  const [isEditing, setEditing] = useState(false);
  const actions = (
    <>
      <FavoriteStar flag={flag} />
      <Button
        offBecause={missing('UPDATE_FEATURE', flag.project)}
        aria-expanded={isEditing}
        onClick={() => setEditing(true)}
      >
        Edit
      </Button>
      <FlagMenu flag={flag} />
    </>
  );
  return (
    <FlagFrame project={flag.project} feature={flag.name} actions={actions}>
      <div className={styles.facts}>
        <span>{flag.type}</span>
        <Badge>{stageInWords(flag.lifecycle)}</Badge>
        {flag.stale && <Badge look="warning">stale</Badge>}
        {flag.impressionData && <span>impression events</span>}
        {flag.createdAt && (
          <span>
            made by {flag.createdBy.name} <Time at={flag.createdAt} />
          </span>
        )}
        <FlagTags flag={flag} />
      </div>
      {isEditing ? (
        <FlagSettingsForm flag={flag} onClose={() => setEditing(false)} />
      ) : (
        flag.description && <p className={styles.description}>{flag.description}</p>
      )}
    </FlagFrame>
  );
}

/** As in `live` and `completed, kept`. */
function stageInWords({ stage, status }: Flag['lifecycle']): string {
  return status === undefined ? stage : `${stage}, ${status}`;
}

function Environments({ flag }: { flag: Flag }) {
  const segments = useQuery(segmentsQuery);
  const names = segmentNamesIn(segments.data);
  return (
    <>
      {flag.environments.length > 1 && (
        <ul className={styles.differences} aria-label="How environments differ">
          {differencesInWords(flag.environments, names).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <div className={styles.environments}>
        {flag.environments.map((environment) => (
          <EnvironmentPanel key={environment.name} {...{ flag, environment, names }} />
        ))}
      </div>
    </>
  );
}
