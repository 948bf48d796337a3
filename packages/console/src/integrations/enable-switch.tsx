import { useMissing } from '../app/session.ts';
import { Switch } from '../ui/switch.tsx';
import { sayDone, sayProblem } from '../ui/toasts.tsx';
import type { Integration } from './draft.ts';
import { useEnable } from './use-save-integration.ts';

/** Switches an integration on or off. It shows what was asked at once, and goes back if that is refused. */
export function EnableSwitch({ integration: { id, enabled }, name }: { integration: Integration; name: string }) {
  const missing = useMissing();
  const { mutate, isPending, variables } = useEnable(id);
  const set = (isOn: boolean, isUndo = false) =>
    mutate(isOn, {
      onSuccess: () => sayDone(`${name} is ${isOn ? 'on' : 'off'}.`, isUndo ? undefined : () => set(!isOn, true)),
      onError: (error) =>
        sayProblem(`${name} was not switched ${isOn ? 'on' : 'off'}.`, error, { sendAgain: () => set(isOn) }),
    });
  return (
    <Switch
      label={`${name} sends events`}
      isOn={isPending ? variables : enabled}
      onChange={set}
      offBecause={missing('UPDATE_ADDON')}
    />
  );
}
