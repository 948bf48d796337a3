import { useQuery } from '@tanstack/react-query';
import { publicUrl } from '../api/client.ts';
import { type SdkId, sdks } from '../sdks/snippets.ts';
import { CodeBlock } from '../ui/code-block.tsx';
import { Time } from '../ui/time.tsx';
import { tokenSeenQuery } from './token-query.ts';
import styles from './welcome-page.module.css';

interface Props {
  sdk: SdkId;
  flag: string;
  /** Null after a reload of the page, which forgets it. */
  secret: string | null;
}

/** The program for the chosen SDK, with address and token. */
export function Snippet({ sdk, flag, secret }: Props) {
  const { install, run, code, label } = sdks[sdk];
  return (
    <>
      {install !== null && (
        <CodeBlock title="Install" label={`the command that installs the SDK for ${label}`} code={install} />
      )}
      <CodeBlock
        title={run === null ? 'Run' : `Save as ${run.file}, and run: ${run.command}`}
        label={`the program for ${label}`}
        code={code({ url: publicUrl, token: secret ?? 'YOUR_TOKEN', flag })}
      />
      <p className={styles.quiet}>
        {secret === null
          ? 'A token is shown once. Put one in place of YOUR_TOKEN, or make another above.'
          : 'The token is shown here once and is stored nowhere in this browser. Copy it before you leave.'}
      </p>
    </>
  );
}

/** Says whether an SDK has used the token. */
export function FirstCall({ project, tokenName }: { project: string; tokenName: string }) {
  const { data: seenAt, error } = useQuery(tokenSeenQuery(project, tokenName));
  return (
    <div className={`${styles.state} ${seenAt ? styles.seen : styles.waiting}`} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {seenAt ? (
        <p>
          <strong>The SDK has called.</strong> It used the token {tokenName} <Time at={seenAt} />.
        </p>
      ) : (
        <p>
          <strong>Waiting for the SDK’s first call.</strong>{' '}
          {error === null ? 'It is seen here within ten seconds.' : error.message}
        </p>
      )}
    </div>
  );
}
