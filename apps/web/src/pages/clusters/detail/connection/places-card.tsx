import { clusters } from '@flotilla/contract/clusters/clusters'
import type { Cluster } from '@flotilla/contract/clusters/entity'
import { Save } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../../../../api/query'
import { Button } from '../../../../ui/button/button'
import { Field } from '../../../../ui/form/field'
import { Textarea } from '../../../../ui/form/input'
import { Card } from '../../../../ui/layout/card'
import { useAdminScope } from '../../use-admin-scope'

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** Edits the folders that the File Manager offers besides the home folder. */
export function PlacesCard({ cluster }: { cluster: Cluster }) {
  const saved = cluster.places.join('\n')
  const [text, setText] = useState(saved)
  const save = useApiMutation(clusters.places, {
    admin: useAdminScope(cluster),
    success: 'Folders saved',
    invalidates: [clusters.list, clusters.view, clusters.activities],
  })
  if (!cluster.mine) return null
  const lines = linesOf(text)
  const problem = save.error && (Object.values(save.error.fields)[0] ?? save.error.message)
  return (
    <Card
      title="Folders in the File Manager"
      description="Shown next to each user’s home folder, such as /scratch. Users can read and change only what their own account allows."
    >
      <div className="flex flex-col gap-3">
        <Field label="Absolute paths, one per line" error={problem ?? undefined}>
          {(aria) => (
            <Textarea
              {...aria}
              mono
              rows={3}
              spellCheck={false}
              placeholder="/scratch"
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                save.reset()
              }}
            />
          )}
        </Field>
        <div>
          <Button
            icon={Save}
            busy={save.isPending}
            disabledReason={lines.join('\n') === saved ? 'No changes to save' : null}
            onClick={() => save.mutate({ body: { id: cluster.id, places: lines } })}
          >
            Save folders
          </Button>
        </div>
      </div>
    </Card>
  )
}
