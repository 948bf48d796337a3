import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { SendAgain } from './send-again.tsx';
import styles from './shown.module.css';
import { Time } from './time.tsx';

type Result<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'dataUpdatedAt' | 'isPaused'>;

/**
 * What a query found. Loading, failed and found differ; what was found stays when a later read fails, with its age.
 */
export function Shown<Data>({ query, children }: { query: Result<Data>; children: (data: Data) => ReactNode }) {
  const { data, error } = query;
  if (data === undefined) {
    if (error !== null) return <Failed error={error} retry={query.refetch} />;
    return query.isPaused ? <WaitsForNetwork /> : <Loading />;
  }
  return (
    <>
      {error !== null && (
        <p className={styles.stale} role="status">
          This is from <Time at={new Date(query.dataUpdatedAt).toISOString()} />. {error.message}{' '}
          <SendAgain error={error} look="quiet" onClick={() => void query.refetch()}>
            Read again
          </SendAgain>
        </p>
      )}
      {children(data)}
    </>
  );
}

export function Loading() {
  return (
    <p className={styles.loading} role="status">
      Loading …
    </p>
  );
}

function WaitsForNetwork() {
  return (
    <p className={styles.loading} role="status">
      This browser is offline. This is read when it is online again.
    </p>
  );
}

export function Failed({ error, retry }: { error: Error; retry?: () => unknown }) {
  const requestId = error instanceof Problem ? error.requestId : null;
  return (
    <div className={styles.failed} role="alert">
      <p>{error.message}</p>
      {requestId !== null && <p className={styles.id}>Request {requestId}</p>}
      {retry && (
        <SendAgain error={error} onClick={() => void retry()}>
          Try again
        </SendAgain>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children}
    </div>
  );
}
