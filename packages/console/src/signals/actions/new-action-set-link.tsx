import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/button.tsx';

export function NewActionSetLink({ projectId, offBecause }: { projectId: string; offBecause: string | null }) {
  const navigate = useNavigate();
  const open = () =>
    navigate({ to: '/projects/$projectId/actions/$actionSetId', params: { projectId, actionSetId: 'new' } });
  return (
    <Button look="primary" offBecause={offBecause} onClick={() => void open()}>
      New action set
    </Button>
  );
}
