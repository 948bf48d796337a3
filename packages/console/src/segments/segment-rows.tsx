import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { constraintInWords } from '../flag/strategy-words.ts';
import { Badge } from '../ui/badge.tsx';
import { usedInWords } from '../ui/counts.ts';
import { Row, Rows, rowName } from '../ui/rows.tsx';

interface Props {
  segments: Schemas['adminSegmentSchema'][];
  /** Whether a row names the project that alone can use the segment. */
  hasProject: boolean;
}

/** Segments, each with who is in it. */
export function SegmentRows({ segments, hasProject }: Props) {
  return (
    <Rows label="Segments">
      {segments.map(({ id, name, description, project, constraints, ...uses }) => (
        <Row
          key={id}
          name={
            <>
              <Link to="/segments/$segmentId" params={{ segmentId: `${id}` }} className={rowName}>
                {name}
              </Link>{' '}
              {hasProject && project !== null && <Badge>only project {project}</Badge>}
            </>
          }
          description={description}
          facts={[
            usedInWords(uses),
            constraints.length === 0 ? 'everybody' : constraints.map(constraintInWords).join(' and '),
          ]}
        />
      ))}
    </Rows>
  );
}
