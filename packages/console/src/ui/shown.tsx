import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { Button } from './button.tsx';
import styles from './shown.module.css';
import { Time } from './time.tsx';

type Result<Data> = Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch' | 'dataUpdatedAt' | 'isFetching'>;

/**
 * What a query found. Loading, failed and found differ; what was found stays when a later read fails, with its age.
 */
export function Shown<Data>({ query, children }: { query: Result<Data>; children: (data: Data) => ReactNode }) {
  const { data, error } = query;
  if (data === undefined) return error === null ? <Loading /> : <Failed error={error} retry={query.refetch} />;
  return (
    <>
      {error !== null && (
        <p className={styles.stale} role="status">
          This is from <Time at={new Date(query.dataUpdatedAt).toISOString()} />. {error.message}{' '}
          <Button look="quiet" onClick={() => void query.refetch()}>
            Read again
          </Button>
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

export function Failed({ error, retry }: { error: Error; retry?: () => unknown }) {
  const requestId = error instanceof Problem ? error.requestId : null;
  return (
    <div className={styles.failed} role="alert">
      <p>{error.message}</p>
      {requestId !== null && <p className={styles.id}>Request {requestId}</p>}
      {retry && <Button onClick={() => void retry()}>Try again</Button>}
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
