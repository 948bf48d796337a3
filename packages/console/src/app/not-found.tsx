import { Link } from '@tanstack/react-router';
import { PageHead } from '../ui/page-head.tsx';

export function NotFound() {
  return (
    <>
      <PageHead title="There is no such page" />
      <p>
        <Link to="/features">All flags</Link>
      </p>
    </>
  );
}
