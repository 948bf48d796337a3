import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Banner } from '../../api/admin-queries.ts';
import { api, write } from '../../api/client.ts';
import { sayNotDone } from '../../save/say-not-done.ts';
import { Switch } from '../../ui/switch.tsx';

export function BannerSwitch({
  banner: { id, message, enabled },
  offBecause,
}: {
  banner: Banner;
  offBecause: string | null;
}) {
  const queries = useQueryClient();
  const change = useMutation({
    // A second press waits for the first one.
    scope: { id: `banner ${id}` },
    mutationFn: (isOn: boolean) => {
      const params = { path: { id: `${id}` } };
      return isOn
        ? write(() => api.POST('/api/admin/banners/{id}/on', { params }))
        : write(() => api.POST('/api/admin/banners/{id}/off', { params }));
    },
    onError: (error) => sayNotDone('the banner', 'switched', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['banners'] }),
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
