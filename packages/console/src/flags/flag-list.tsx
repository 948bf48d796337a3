import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { type FeatureFilters, featuresQuery } from '../api/queries.ts';
import { Shown } from '../ui/shown.tsx';
import { BulkBar } from './bulk-bar.tsx';
import styles from './flag-list.module.css';
import { type FlagOfList, keyOf } from './flag-row.tsx';
import { FlagRows } from './flag-rows.tsx';
import { NoFlags } from './no-flags.tsx';

interface Props {
  filters: FeatureFilters;
  /** Whether rows name the project. */
  hasProjects: boolean;
}

/** The flags that the filters leave, and what can be done with several of them at once. */
export function FlagList({ filters, hasProjects }: Props) {
  const query = useInfiniteQuery(featuresQuery(filters));
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback((flag: FlagOfList, isSelected: boolean) => {
    setSelected((before) => {
      const changed = new Set(before);
      if (isSelected) changed.add(keyOf(flag));
      else changed.delete(keyOf(flag));
      return changed;
    });
  }, []);
  return (
    <Shown query={query}>
      {({ pages }) => {
        const flags = pages.flatMap(({ features }) => features);
        const total = pages[0]?.total ?? 0;
        if (total === 0) return <NoFlags filters={filters} />;
        // Flags that the filters no longer leave are not acted on.
        const chosen = flags.filter((flag) => selected.has(keyOf(flag)));
        return (
          <>
            <BulkBar
              flags={chosen}
              total={total}
              onAll={(all) => setSelected(new Set(all ? flags.map(keyOf) : []))}
              loaded={flags.length}
            />
            <div className={styles.list}>
              <FlagRows
                flags={flags}
                total={total}
                hasProjects={hasProjects}
                selected={selected}
                onSelect={select}
                readOn={() => query.hasNextPage && !query.isFetchingNextPage && void query.fetchNextPage()}
              />
            </div>
          </>
        );
      }}
    </Shown>
  );
}
