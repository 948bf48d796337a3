import { useMutation } from '@tanstack/react-query';
import type { Banner } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { Switch } from '../../ui/switch.tsx';
import { sayProblem } from '../../ui/toasts.tsx';
import { useReadAgain } from '../use-read-again.ts';

export function BannerSwitch({
  banner: { id, message, enabled },
  offBecause,
}: {
  banner: Banner;
  offBecause: string | null;
}) {
  const readAgain = useReadAgain('banners');
  const change = useMutation({
    mutationFn: (isOn: boolean) => {
      const params = { path: { id: `${id}` } };
      return isOn
        ? write(() => api.POST('/api/admin/banners/{id}/on', { params }))
        : write(() => api.POST('/api/admin/banners/{id}/off', { params }));
    },
    onError: (error) => sayProblem('The banner was not switched.', error),
    onSettled: () => readAgain(),
  });
  return (
    <Switch
      label={`Everybody sees: ${message.slice(0, 60)}`}
      isOn={change.isPending ? change.variables : enabled}
      onChange={(isOn) => change.mutate(isOn)}
      offBecause={offBecause}
    />
  );
}
