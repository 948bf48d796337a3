import { Link } from '@tanstack/react-router';
import type { FeatureFilters } from '../api/queries.ts';
import { Empty } from '../ui/shown.tsx';

/** An empty list: nothing matches, or there is nothing yet. */
export function NoFlags({ filters: { project, ...narrowing } }: { filters: FeatureFilters }) {
  if (Object.values(narrowing).some((value) => value !== undefined)) return <Empty title="No flag matches" />;
  return (
    <Empty title={project === undefined ? 'There is no flag yet' : 'This project has no flag yet'}>
      <p>
        <Link to="/welcome">Make one and see an SDK follow it</Link>
      </p>
    </Empty>
  );
}
