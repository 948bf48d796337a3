import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { featureQuery, featuresQuery, projectQuery } from '../api/queries.ts';
import { sdks } from '../sdks/snippets.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { ChooseFlag } from './choose-flag.tsx';
import { MakeFlag } from './make-flag.tsx';
import { type Choice, MakeToken } from './make-token.tsx';
import { Step } from './step.tsx';
import { tokenSeenQuery } from './token-query.ts';
import { FirstCall, Snippet } from './use-snippet.tsx';
import { WatchSwitch } from './watch-switch.tsx';
import styles from './welcome-page.module.css';
import type { WelcomeSearch } from './welcome-search.ts';

const route = getRouteApi('/welcome');

/** The first run: a flag, a token, an SDK that calls, and a switch that it follows. */
export function WelcomePage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { project, flag } = search;
  const isWithoutFlags = useInfiniteQuery(featuresQuery({})).data?.pages[0]?.total === 0;
  const go = (change: WelcomeSearch) => void navigate({ search: { ...search, ...change }, replace: true });
  return (
    <>
      <PageHead title="Connect an SDK">
        <Link to="/features">All flags</Link>
      </PageHead>
      <p className={styles.quiet}>
        {isWithoutFlags ? 'Make' : 'Take'} a flag, let a program ask for it, and watch it follow your switch.
      </p>
      <ol className={styles.steps}>
        <Step
          number={1}
          title={isWithoutFlags ? 'Make a flag' : 'Make or choose a flag'}
          state={flag === undefined ? 'current' : 'done'}
        >
          {project === undefined || flag === undefined ? (
            <>
              <MakeFlag project={project} onMade={go} />
              <ChooseFlag onChosen={go} />
            </>
          ) : (
            <p>
              {flag} is in the project {project}.{' '}
              <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
                Take another
              </Button>
            </p>
          )}
        </Step>
        {project === undefined || flag === undefined ? (
          <LaterSteps />
        ) : (
          <SdkSteps key={`${project}/${flag}`} {...{ project, flag, search, go }} />
        )}
      </ol>
    </>
  );
}

const steps = {
  token: { number: 2, title: 'Make a token for the SDK', about: 'With it the SDK reads the flags of one environment.' },
  run: { number: 3, title: 'Run the SDK', about: 'A program of some lines in your language, ready to copy.' },
  watch: { number: 4, title: 'Switch the flag', about: 'The SDK follows within seconds, without a new release.' },
} as const;

function LaterSteps() {
  return Object.values(steps).map((step) => (
    <Step key={step.number} {...step} state="later">
      {null}
    </Step>
  ));
}

interface SdkStepsProps {
  project: string;
  flag: string;
  search: WelcomeSearch;
  go: (change: WelcomeSearch) => void;
}

function SdkSteps({ project, flag, search, go }: SdkStepsProps) {
  const { data } = useQuery(projectQuery(project));
  // The secret is in the memory of this page alone.
  const [made, setMade] = useState<(Choice & { secret: string }) | null>(null);
  const first = data?.environments.find(({ environment }) => environment === 'development') ?? data?.environments[0];
  const choice: Choice = {
    sdk: search.sdk ?? 'node',
    environment: search.environment ?? first?.environment ?? 'development',
  };
  const { token } = search;
  const seenAt = useQuery({ ...tokenSeenQuery(project, token ?? ''), enabled: token !== undefined }).data;
  const { environments = [] } = useQuery(featureQuery(project, flag)).data ?? {};
  const isOn = environments.some(({ name, enabled }) => name === choice.environment && enabled);
  const isFitting = made?.environment === choice.environment && sdks[made.sdk].tokenType === sdks[choice.sdk].tokenType;
  const secret = isFitting ? made.secret : null;
  return (
    <>
      <Step {...steps.token} state={token === undefined ? 'current' : 'done'}>
        <MakeToken
          {...{ project, flag, choice }}
          hasToken={secret !== null}
          onChoose={go}
          onMade={({ name, secret: whole }) => {
            setMade({ ...choice, secret: whole });
            go({ ...choice, token: name });
          }}
        />
      </Step>
      <Step {...steps.run} state={token === undefined ? 'later' : seenAt ? 'done' : 'current'}>
        <Snippet sdk={choice.sdk} flag={flag} secret={secret} />
        {token !== undefined && <FirstCall project={project} tokenName={token} />}
      </Step>
      <Step {...steps.watch} state={token === undefined ? 'later' : seenAt && isOn ? 'done' : 'current'}>
        <WatchSwitch project={project} flag={flag} environment={choice.environment} />
      </Step>
    </>
  );
}
