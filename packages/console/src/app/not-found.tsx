import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/shown.tsx';

export function NotFound() {
  return (
    <Empty title="There is no such page">
      <p>
        <Link to="/features">All flags</Link>
      </p>
    </Empty>
  );
}
