import { useQuery } from '@tanstack/react-query';
import { archivedFeatureQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { useSave } from '../save/save.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Failed, Shown } from '../ui/shown.tsx';
import { Time } from '../ui/time.tsx';
import { FlagFrame } from './flag-frame.tsx';
import styles from './flag-page.module.css';

interface Props {
  project: string;
  feature: string;
  /** Why the flag cannot be read. */
  error: Error;
}

/** In place of a flag that is not there: what is left of it if it is archived. */
export function ArchivedFlag({ project, feature, error }: Props) {
  const query = useQuery(archivedFeatureQuery(project, feature));
  const save = useSave();
  const missing = useMissing();
  return (
    <FlagFrame
      {...{ project, feature }}
      actions={
        query.data && (
          <Button
            offBecause={missing('UPDATE_FEATURE', project)}
            onClick={() => void save({ project, feature }, { kind: 'revive' })}
          >
            Revive
          </Button>
        )
      }
    >
      <Shown query={query}>
        {(flag) =>
          flag === null ? (
            <Failed error={error} />
          ) : (
            <>
              <div className={styles.facts}>
                <Badge look="danger">archived</Badge>
                <span>{flag.type}</span>
                {flag.archivedAt && (
                  <span>
                    archived <Time at={flag.archivedAt} />
                  </span>
                )}
              </div>
              {flag.description && <p className={styles.description}>{flag.description}</p>}
              <p className={styles.description}>
                SDKs do not get it. Revived, it is off in every environment and has its strategies again.
              </p>
            </>
          )
        }
      </Shown>
    </FlagFrame>
  );
}
