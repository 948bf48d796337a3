import { Empty } from '../ui/shown.tsx';

/** In place of what a user may not read. `missing` names the permission. */
export function ForAdmins({ what, missing }: { what: string; missing: string }) {
  return (
    <Empty title={`${what} are for admins`}>
      <p>{missing}</p>
    </Empty>
  );
}
