import { twoStep, type TwoStepSettings } from '@flotilla/contract/site/two-step'
import { Pencil, Plus, Power, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { useApiQuery } from '../../../api/query'
import { tableSettings } from '../../../session/page-settings'
import type { Column } from '../../../table/column'
import { statusColumn, textColumn, timeColumn } from '../../../table/columns'
import { DataTable } from '../../../table/data-table'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Callout } from '../../../ui/feedback/callout'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { CheckAddress } from './check-address'
import { RuleDialog } from './rule-dialog'
import { useUpdateRule } from './use-rule'

const idOf = ({ id }: TwoStepSettings) => id
const settings = tableSettings('two-step')
const stateOf = ({ enabled }: TwoStepSettings) => (enabled ? 'On' : 'Off')
const columns: readonly Column<TwoStepSettings>[] = [
  textColumn({ id: 'name', header: 'Rule', value: ({ name }) => name, width: 110, grow: true, priority: 1 }),
  statusColumn({
    id: 'state',
    header: 'State',
    value: stateOf,
    tone: ({ enabled }) => (enabled ? 'green' : 'gray'),
    width: 72,
    priority: 1,
  }),
  textColumn({
    id: 'who',
    header: 'Who enters a code',
    value: ({ emailDomains }) =>
      emailDomains.length === 0 ? 'Every participant' : emailDomains.map((one) => `@${one}`).join(', '),
    width: 130,
    grow: true,
    priority: 1,
  }),
  timeColumn({
    id: 'updated',
    header: 'Updated',
    value: ({ updatedAt }) => updatedAt,
    width: 130,
    priority: 3,
  }),
]

/** The rules that decide which participants need an emailed code to log in to a workshop. */
export function TwoStepTab() {
  const rules = useApiQuery(twoStep.list, {})
  const [opened, setOpened] = useState<TwoStepSettings | 'new' | null>(null)
  const update = useUpdateRule()
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setOpened('new')}>
      Add rule
    </Button>
  )
  return (
    <section aria-label="Two-step verification" className="flex max-w-[1120px] flex-col gap-4">
      <Callout tone="gray" title="Two-step verification for workshop participants">
        A participant logs in with a name, an email address and a session code. A rule makes them prove that
        the address is theirs: they enter a six-digit code that we email to it, valid for 15 minutes. Rules
        apply to every workshop without a setting of its own. Logins with a password are not affected.
      </Callout>
      <Async
        data={rules}
        skeleton={<SkeletonRows rows={3} columns={4} />}
        empty={
          <EmptyState icon={ShieldCheck} title="No two-step rules" action={add}>
            Participants log in to workshops without a code.
          </EmptyState>
        }
      >
        {(rows) => (
          <>
            <DataTable
              label="Two-step rules"
              columns={columns}
              rows={rows}
              rowId={idOf}
              settings={settings}
              toolbar={add}
              rowActions={(rule) => [
                { label: 'Edit', icon: Pencil, onSelect: () => setOpened(rule) },
                {
                  label: rule.enabled ? 'Turn off' : 'Turn on',
                  icon: Power,
                  // A failure is shown as a notice.
                  onSelect: () => void update(rule.id, { enabled: !rule.enabled }).catch(() => {}),
                },
              ]}
            />
            <CheckAddress rules={rows} />
          </>
        )}
      </Async>
      {opened && <RuleDialog rule={opened === 'new' ? null : opened} onClose={() => setOpened(null)} />}
    </section>
  )
}
