import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminPlaces } from '../app/places.ts';
import { PageHead } from '../ui/page-head.tsx';
import { Empty } from '../ui/shown.tsx';
import { currentTab, Tabs } from '../ui/tabs.tsx';

interface Props {
  title: string;
  /** Names the permission that reading needs, if the user lacks it. */
  missing?: string | null;
  /** What can be done with the whole page. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page of the administration. */
export function AdminPage({ title, missing = null, actions, children }: Props) {
  return (
    <>
      <PageHead title={title}>{actions}</PageHead>
      <Tabs label="Admin">
        {adminPlaces.map(({ to, label }) => (
          <Link key={to} to={to} activeProps={currentTab}>
            {label}
          </Link>
        ))}
      </Tabs>
      {missing === null ? (
        children
      ) : (
        <Empty title={`You cannot see this: ${title.toLowerCase()}`}>
          <p>{missing}</p>
        </Empty>
      )}
    </>
  );
}
