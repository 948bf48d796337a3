import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, write } from '../../api/client.ts';
import { useMissing } from '../../app/session.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useReadAgain } from '../use-read-again.ts';

/** The switch of maintenance mode, with a question that says what it means. */
export function Maintenance({ isOn }: { isOn: boolean }) {
  const missing = useMissing()('UPDATE_MAINTENANCE_MODE');
  const readAgain = useReadAgain('ui-config');
  const [isAsked, setAsked] = useState(false);
  const change = useMutation({
    mutationFn: () => write(() => api.POST('/api/admin/maintenance', { body: { enabled: !isOn } })),
    onSuccess() {
      readAgain(isOn ? 'Maintenance mode is off.' : 'Maintenance mode is on.');
      setAsked(false);
    },
  });
  return (
    <Section title="Maintenance mode" hint="Everything can be read, and SDKs go on. Every change is refused.">
      <Switch label="Maintenance mode" isOn={isOn} onChange={() => setAsked(true)} offBecause={missing} />
      {isAsked && (
        <FormDialog
          title={isOn ? 'End maintenance mode?' : 'Begin maintenance mode?'}
          submit={isOn ? 'End it' : 'Begin it'}
          mutation={{ ...change, mutate: () => change.mutate() }}
          names={[]}
          onClose={() => setAsked(false)}
        >
          <p>
            {isOn
              ? 'Changes are accepted again, from people, programs and actions.'
              : 'Every change is refused until you end it, kill switches and actions included. SDKs go on as they are.'}
          </p>
        </FormDialog>
      )}
    </Section>
  );
}
