import { acm, mayRelease, type AcmMachine } from '@flotilla/contract/clouds/acm'
import { credentials } from '@flotilla/contract/clouds/credentials'
import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'
import { messages } from '@flotilla/contract/messages'
import { providers } from '@flotilla/contract/clouds/providers'
import { RefreshCw, Server } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation, useApiQuery } from '../../../api/query'
import { paths, useSearchParam, useSetSearch } from '../../../paths'
import { tableSettings } from '../../../session/page-settings'
import { DataTable } from '../../../table/data-table'
import type { BulkContext } from '../../../table/selection/use-bulk-run'
import { Async } from '../../../ui/feedback/async'
import { Button } from '../../../ui/button/button'
import { Card } from '../../../ui/layout/card'
import { EmptyState } from '../../../ui/feedback/empty-state'
import { Field } from '../../../ui/form/field'
import { Select } from '../../../ui/form/input'
import { ButtonLink } from '../../../ui/button/link'
import { SkeletonRows } from '../../../ui/feedback/skeleton'
import { machineColumns } from './machine-columns'
import { Offers } from './offers'
import { ReleaseDialog } from './release-dialog'

const idOf = (machine: AcmMachine) => machine.id
const settings = tableSettings('acm-machines')

/** An ACM (MAAS) site: its machines, which can be released, and its shapes and images for clusters. */
export function AcmTab() {
  const enabled = useApiQuery(acm.enabled, {})
  const sync = useApiMutation(acm.syncShapes, {
    success: messages.acmShapesSynced,
    invalidates: [providers.list, providers.sizesHash, acm.shapes, acm.machines],
  })
  return (
    <Card
      title="ACM"
      className="max-w-[1120px]"
      description="Your own machines, managed by MAAS. Machines that share a tag or a pool count as one shape. Sync after changing tags, pools or machines in your MAAS."
      actions={
        enabled.data?.enabled && (
          <Button icon={RefreshCw} busy={sync.isPending} onClick={() => sync.mutate({})}>
            Sync ACM shapes
          </Button>
        )
      }
    >
      <Async data={enabled} skeleton={<SkeletonRows rows={3} columns={5} />}>
        {(found) => (found.enabled ? <Site /> : <NoCredential />)}
      </Async>
    </Card>
  )
}

/** Selects the MAAS, if there are several. The selection is part of the URL. */
function Site() {
  const setSearch = useSetSearch()
  const list = useApiQuery(credentials.list, { query: { limit: PAGE_SIZE_MAX } })
  const wanted = useSearchParam('site')
  return (
    <Async data={list} skeleton={<SkeletonRows rows={5} columns={5} />}>
      {(all) => {
        const sites = all.filter(({ provider }) => provider === 'maas')
        const chosen = sites.find(({ id }) => id === wanted) ?? sites[0]
        if (!chosen) return <NoCredential />
        return (
          <div className="flex flex-col gap-3">
            {sites.length > 1 && (
              <Field label="Credential" className="sm:w-72">
                {(aria) => (
                  <Select
                    {...aria}
                    value={chosen.id}
                    onChange={({ target }) => setSearch({ site: target.value })}
                  >
                    {sites.map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </Select>
                )}
              </Field>
            )}
            <h3 className="text-body font-semibold">Machines</h3>
            <Machines key={chosen.id} credentialId={chosen.id} />
          </div>
        )
      }}
    </Async>
  )
}

function Machines({ credentialId }: { credentialId: string }) {
  const machines = useApiQuery(acm.machines, { query: { credentialId } })
  const [releasing, setReleasing] = useState<{ machines: readonly AcmMachine[]; bulk: BulkContext } | null>(
    null,
  )
  return (
    <>
      <Async
        data={machines}
        skeleton={<SkeletonRows rows={5} columns={5} />}
        empty={
          <EmptyState icon={Server} title="No machines">
            The ACM has no machines that this credential can see.
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label="ACM machines"
            columns={machineColumns}
            rows={rows}
            rowId={idOf}
            urlKey="acm"
            settings={settings}
            initialSort={{ column: 'hostname', descending: false }}
            bulkActions={(chosen) => [
              {
                label: 'Release',
                onSelect: (bulk) => setReleasing({ machines: chosen, bulk }),
                disabledReason: releaseBlockedReason(chosen),
              },
            ]}
          />
        )}
      </Async>
      {/* If the MAAS does not respond, one message is enough. */}
      {machines.data && <Offers credentialId={credentialId} />}
      {releasing && <ReleaseDialog {...releasing} onClose={() => setReleasing(null)} />}
    </>
  )
}

function releaseBlockedReason(chosen: readonly AcmMachine[]): string | null {
  const free = chosen.filter((machine) => !mayRelease(machine))
  return free.length === 0 ? null : `Not in use: ${free.map(({ hostname }) => hostname).join(', ')}`
}

const NoCredential = () => (
  <EmptyState
    icon={Server}
    title="No ACM credential"
    action={<ButtonLink to={paths.credentials()}>Add a credential</ButtonLink>}
  >
    Add the URL and API key of your MAAS to list its machines here.
  </EmptyState>
)
