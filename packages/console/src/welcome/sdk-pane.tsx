import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { Failed } from '../ui/shown.tsx';
import { deleteEndedTokens, makePaneToken, noState, type PaneState, runPaneSdk } from './pane-sdk.ts';
import styles from './sdk-pane.module.css';
import quiet from './welcome-page.module.css';

interface Props {
  project: string;
  flag: string;
  environment: string;
}

/** Runs a real SDK in this page and shows what it sees. */
export function SdkPane({ project, flag, environment }: Props) {
  const missing = useMissing();
  const cannotDelete = missing('READ_PROJECT_API_TOKEN', project) ?? missing('DELETE_PROJECT_API_TOKEN', project);
  const token = useMutation({
    mutationFn: () => makePaneToken(project, environment),
    // The next pane tries again.
    onSuccess: () => cannotDelete === null && void deleteEndedTokens(project).catch(() => undefined),
  });
  if (token.data !== undefined) return <RunningPane flag={flag} environment={environment} token={token.data} />;
  return (
    <>
      <p className={quiet.quiet}>
        No SDK at hand? unleash-proxy-client can run in this page, with a frontend token that ends in an hour.
      </p>
      <div>
        <Button
          onClick={() => token.mutate()}
          isBusy={token.isPending}
          offBecause={missing('CREATE_PROJECT_API_TOKEN', project)}
        >
          Run an SDK in this page
        </Button>
      </div>
      {token.error !== null && <Failed error={token.error} />}
    </>
  );
}

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

function RunningPane({ flag, environment, token }: { flag: string; environment: string; token: string }) {
  const [{ isOn, changes, problem }, setState] = useState<PaneState>(noState);
  useEffect(() => runPaneSdk(flag, token, setState), [flag, token]);
  return (
    <section className={styles.pane} aria-label="An SDK in this page">
      <p className={styles.bar}>unleash-proxy-client asks {environment} every second</p>
      <p className={`${styles.shown} ${isOn ? styles.on : ''}`} role="status">
        {isOn === null ? 'Starting …' : `${flag} is ${isOn ? 'on' : 'off'}`}
      </p>
      {problem !== null && <p role="alert">The SDK shows what it last saw. {problem}</p>}
      <ul className={styles.changes}>
        {changes.map(({ isOn: wasOn, at }) => (
          <li key={at}>
            <time dateTime={at}>{time.format(new Date(at))}</time> saw it {wasOn ? 'on' : 'off'}
          </li>
        ))}
      </ul>
    </section>
  );
}
