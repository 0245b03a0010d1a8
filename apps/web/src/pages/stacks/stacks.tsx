import { stacks } from '@flotilla/contract/stacks/stacks'
import type { Stack } from '@flotilla/contract/stacks/entity'
import { Layers, Plus } from 'lucide-react'
import { useApiList } from '../../api/list'
import { paths } from '../../paths'
import { tableSettings } from '../../session/page-settings'
import { ListPage } from '../../table/list-page'
import { EmptyState } from '../../ui/feedback/empty-state'
import { ButtonLink } from '../../ui/button/link'
import type { MenuEntry } from '../../ui/overlay/menu-entry'
import { Stale } from '../../ui/feedback/stale'
import { stackColumns } from './stack-columns'
import { useStackActions } from './use-stack-actions'

/** A row is highlighted when this version of its stack changes. */
const versionOf = ({ updatedAt, state, since }: Stack) => `${updatedAt} ${state} ${since}`
const settings = tableSettings('stacks')

export default function StacksPage() {
  const list = useApiList(stacks.list, {})
  const { actionsOf, dialogs } = useStackActions()
  const menu = (stack: Stack): MenuEntry[] => {
    const { build, finalize, cancel, edit, clone, share, remove } = actionsOf(stack)
    return [build, finalize, cancel, 'separator', edit, clone, share, 'separator', remove]
  }
  const newStack = (
    <ButtonLink to={paths.newStack()} variant="primary" icon={Plus}>
      New stack
    </ButtonLink>
  )
  return (
    <ListPage
      title="Stack Manager"
      description="Machine images with everything your clusters need, built once."
      meta={list.data && <Stale since={list.dataUpdatedAt} failed={list.isError} staleAfterMs={Infinity} />}
      actions={list.data && list.data.length > 0 && newStack}
      list={list}
      empty={
        <EmptyState icon={Layers} title="No stacks yet" action={newStack}>
          Define an image and build it once. Clusters that use it start faster.
        </EmptyState>
      }
      label="Stacks"
      columns={stackColumns}
      rowVersion={versionOf}
      rowActions={menu}
      settings={settings}
    >
      {dialogs}
    </ListPage>
  )
}
