import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { integrationStatesQuery } from '../api/queries.ts';
import { useMissing } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { CloseButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { isolated } from '../ui/direction.ts';
import { Switch } from '../ui/switch.tsx';
import type { Integration } from './draft.ts';
import { waitingWords } from './health.ts';
import { useEnable } from './use-save-integration.ts';

/**
 * Switches an integration on or off. It shows what was asked at once, and goes back if that is refused. Switched off,
 * it loses what waits, so it asks first then.
 */
export function EnableSwitch({ integration: { id, enabled }, name }: { integration: Integration; name: string }) {
  const missing = useMissing();
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery(integrationStatesQuery);
  const { mutate, isPending, variables } = useEnable(id, isolated(name));
  const state = data?.states.find(({ integrationId }) => integrationId === id);
  const waiting = state ? waitingWords(state) : null;
  const switchOff = () => {
    setAsking(false);
    mutate(false);
  };
  return (
    <>
      <Switch
        label={`${isolated(name)} sends events`}
        isOn={isPending ? variables : enabled}
        onChange={(isOn) => (!isOn && waiting !== null ? setAsking(true) : mutate(isOn))}
        offBecause={missing('UPDATE_ADDON')}
      />
      <Dialog title={`Switch ${isolated(name)} off?`} isOpen={isAsking} onClose={() => setAsking(false)}>
        <p>{waiting} to be sent. Switched off, it sends none of them, also not when it is switched on again.</p>
        <p>Then “Send a range again” sends them.</p>
        <DialogActions>
          <CloseButton />
          <Button look="danger" onClick={switchOff}>
            Switch off
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
