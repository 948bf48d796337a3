import { lazy, Suspense, useState } from 'react';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';

const NewFlagForm = lazy(async () => ({ default: (await import('./new-flag-form.tsx')).NewFlagForm }));

/** A button that opens the form of a new flag. */
export function NewFlag({ project }: { project?: string }) {
  const [isOpen, setOpen] = useState(false);
  const missing = useMissing();
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)} offBecause={project && missing('CREATE_FEATURE', project)}>
        New flag
      </Button>
      {isOpen && (
        <Suspense>
          <NewFlagForm project={project} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
