import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { featuresQuery } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { Failed } from '../ui/shown.tsx';
import styles from './welcome-page.module.css';

/** As many as fit below the form of a new flag. A search finds the others. */
const shownFlags = 6;

/** Chooses one of the flags that there are. Without any there is nothing to choose. */
export function ChooseFlag({ onChosen }: { onChosen: (flag: { project: string; flag: string }) => void }) {
  const [text, setText] = useState('');
  const query = useInfiniteQuery({
    ...featuresQuery({ query: text.trim() || undefined }),
    placeholderData: keepPreviousData,
  });
  if (query.error !== null) return <Failed error={query.error} retry={query.refetch} />;
  const [page] = query.data?.pages ?? [];
  if (page === undefined || (page.total === 0 && text === '')) return null;
  const flags = page.features.slice(0, shownFlags);
  const others = page.total - flags.length;
  return (
    <section className={styles.choice} aria-labelledby="own-flags">
      <h3 id="own-flags">Or take a flag that you have</h3>
      <SearchBox text={text} placeholder="Name, description or tag" onChange={setText} />
      <ul className={styles.found}>
        {flags.map(({ project, name }) => (
          <li key={`${project}/${name}`}>
            <Button onClick={() => onChosen({ project, flag: name })}>
              <span>
                {name} <span className={styles.place}>in {project}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
      <p className={styles.quiet} role="status">
        {page.total === 0 && 'No flag is like this.'}
        {others > 0 && `${others.toLocaleString()} more. Search for the one that you want.`}
      </p>
    </section>
  );
}
