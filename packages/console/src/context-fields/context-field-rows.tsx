import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/badge.tsx';
import { countOf, usedInWords } from '../ui/counts.ts';
import { Row, Rows, rowName } from '../ui/rows.tsx';

interface Props {
  /** Whose fields these are; null for those of all projects. */
  projectId: string | null;
  fields: Schemas['contextFieldSchema'][];
}

/** Context fields, each with a link to its page. */
export function ContextFieldRows({ projectId, fields }: Props) {
  return (
    <Rows label="Context fields">
      {fields.map(({ name, description, stickiness, legalValues, ...uses }) => (
        <Row
          key={name}
          name={
            <>
              {projectId === null ? (
                <Link to="/context-fields/$contextField" params={{ contextField: name }} className={rowName}>
                  {name}
                </Link>
              ) : (
                <Link
                  to="/projects/$projectId/context/$contextField"
                  params={{ projectId, contextField: name }}
                  className={rowName}
                >
                  {name}
                </Link>
              )}{' '}
              {stickiness && <Badge>sticky</Badge>}
            </>
          }
          description={description}
          facts={[
            usedInWords(uses),
            legalValues.length === 0 ? 'any value' : countOf(legalValues.length, 'legal value'),
          ]}
        />
      ))}
    </Rows>
  );
}
