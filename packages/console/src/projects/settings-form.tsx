import type { FormEvent, ReactNode } from 'react';
import { errorBeside } from '../api/property-errors.ts';
import { useMissing } from '../app/session.ts';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Section } from '../ui/section.tsx';
import { SubmitButton } from '../ui/send-again.tsx';
import { Failed } from '../ui/shown.tsx';
import type { Project } from './project-frame.tsx';

/** What each form of settings has. */
export interface SettingsProps {
  id: string;
  project: Project;
  onSaved: () => void;
}

interface Props {
  title: string;
  hint?: string;
  /** The id of the project. */
  id: string;
  project: Project;
  isDirty: boolean;
  mutation: { error: Error | null; isPending: boolean; mutate: () => void };
  names: readonly string[];
  children: ReactNode;
}

/** A section of settings that is saved alone. */
export function SettingsForm({ title, hint, id, project, isDirty, mutation, names, children }: Props) {
  const missing = useMissing();
  const rest = errorBeside(mutation.error, names);
  const lacks = missing('PROJECT_SETTINGS_WRITE', id) && missing('UPDATE_PROJECT', id);
  const offBecause = lacks ?? (project.archivedAt === null ? null : 'An archived project does not change.');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutation.mutate();
  };
  return (
    <form onSubmit={submit}>
      <LeaveGuard isDirty={isDirty} />
      <Section title={title} {...(hint !== undefined && { hint })}>
        {children}
        {rest !== null && <Failed error={rest} />}
        <SubmitButton mutation={mutation} offBecause={offBecause}>
          Save<span className="visually-hidden"> {title}</span>
        </SubmitButton>
      </Section>
    </form>
  );
}
