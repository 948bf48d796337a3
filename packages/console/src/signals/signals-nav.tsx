import { Link } from '@tanstack/react-router';
import { currentTab, Tabs } from '../ui/tabs.tsx';

/** Between what arrived and what receives it. */
export function SignalsNav() {
  return (
    <Tabs label="Signals">
      <Link to="/signals" activeOptions={{ exact: true, includeSearch: false }} activeProps={currentTab}>
        Inbox
      </Link>
      <Link to="/signals/endpoints" activeProps={currentTab}>
        Endpoints
      </Link>
    </Tabs>
  );
}
